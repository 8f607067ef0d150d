/** Ids and a time that examples share. */
export const TASK = '0192f1c2-8f3a-7b51-9c1e-5d2f6a7b8c9d'
export const SESSION = '3b241101-e2bb-4255-8caf-4136c566a962'
export const KEY = '9f8b7c6d-5e4f-4a3b-8c2d-1e0f9a8b7c6d'
export const FILE = '5b1d7c34-9f0e-4d8a-8a55-0c2b7f6f4e21'
export const WORKSPACE = 'c56a4180-65aa-42ec-a945-5fd21dec0538'
export const AT = 1795176000000
/** `<AT>.<TASK>` in base64url. */
export const CURSOR = 'MTc5NTE3NjAwMDAwMC4wMTkyZjFjMi04ZjNhLTdiNTEtOWMxZS01ZDJmNmE3YjhjOWQ'
