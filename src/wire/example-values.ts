/** Ids and a time that examples share. */
export const TASK = '0192f1c2-8f3a-7b51-9c1e-5d2f6a7b8c9d'
export const SESSION = '3b241101-e2bb-4255-8caf-4136c566a962'
export const KEY = '9f8b7c6d-5e4f-4a3b-8c2d-1e0f9a8b7c6d'
export const FILE = '5b1d7c34-9f0e-4d8a-8a55-0c2b7f6f4e21'
export const WORKSPACE = 'c56a4180-65aa-42ec-a945-5fd21dec0538'
export const ENDPOINT = 'e4d909c2-90d0-4b1c-a068-ffaddf22cbd0'
export const DELIVERY = '7c4a8d09-ca37-4b62-8f5e-1d2c3b4a5f60'
export const RECIPE = '2f1e4fc8-0b6a-4f0e-9c57-3a8d7e6b5c41'
export const PROFILE = 'd3b07384-d9a0-4c9b-8f1e-6a5b4c3d2e1f'
export const MEMBER = 'a3f5c2e1-7b8d-4e6f-9a0b-1c2d3e4f5a6b'
export const APP = '6ba7b810-9dad-41d1-80b4-00c04fd430c8'
/** Of an input request. */
export const REQUEST = '7d0f9f3e-6a0e-4a52-8f4f-6f5d1a2b3c4d'
export const INVITATION = 'f'.repeat(64)
export const SHARE_TOKEN = `svc_share_${'5f0c1a2b'.repeat(8)}`
export const AT = 1795176000000
/** `<AT>.<TASK>` in base64url. */
export const CURSOR = 'MTc5NTE3NjAwMDAwMC4wMTkyZjFjMi04ZjNhLTdiNTEtOWMxZS01ZDJmNmE3YjhjOWQ'
