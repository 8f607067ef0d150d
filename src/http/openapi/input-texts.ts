import { AT, TASK } from './example-values.ts'
import type { FieldTexts } from './field-texts.ts'

/** Fields by which people say something to a task, answer what it asks, and confine it. */
export const INPUT_TEXTS: FieldTexts = {
  approvals: [
    'Which actions wait for an approval: `irreversible` ones such as paying, sending and deleting, `always`, or `never`.',
    'irreversible',
  ],
  continue_task_id: ['The ended task that this one continues: its model reads the earlier conversation.', TASK],
  ask_user: ['Whether the model may ask its user a question and wait for the answer.', true],
  allowed_domains: [
    'The only sites that the task may reach: `example.com` with www, `*.example.com` with its sub-domains.',
    ['shop.example'],
  ],
  secrets: [
    'What the task may type without knowing it. Values are never shown again, kept only encrypted, and gone with the end of the task.',
  ],
  'SecretBody.name': ['The model writes `{{secret:name}}` where the value belongs.', 'password'],
  'SecretBody.value': ['The value. Give either this or `totp`.', 'correct horse battery staple'],
  'SecretBody.totp': ['What one-time codes are made of: a secret in base32, or an `otpauth://totp/` address.', null],
  'SecretBody.domains': ['The only pages on which it is typed, with every page around them.', ['shop.example']],
  'SecretBody.description': ['What the model reads of it.', 'The password of ada@example.com'],
  input_request: ['What the task asks its user; null when it asks nothing.'],
  paused_by: ['Who holds it while it is paused: a client, or the user in the browser.', ['browser']],
  'InputRequest.id': ['The id under which it is answered.', '7d0f9f3e-6a0e-4a52-8f4f-6f5d1a2b3c4d'],
  'InputRequest.kind': ['A question, the approval of an action, or a person who has taken over the tab.', 'approval'],
  'InputRequest.message': ['What people are asked.', 'Place the order for 12.90 EUR?'],
  'InputRequest.schema': ['JSON Schema of the answer to a question; null when any text will do.', null],
  'InputRequest.call': ['The action that is to be approved; null for a question.'],
  'InputRequest.tool': ['The tool of the action.', 'computer'],
  'InputRequest.input': ['The input of the action.', { action: 'left_click', ref: 'ref_7' }],
  'InputRequest.terms': [
    'What the approval holds for; when one of them changes it is asked again.',
    ['Total 12.90 EUR'],
  ],
  'InputRequest.expires_at': ['When it counts as cancelled, in milliseconds since 1970.', AT + 600_000],
  'MessageBody.text': ['What the model should know or do now.', 'Take the larger pack instead.'],
  interrupt: ['Whether the reply that is awaited now is given up.', false],
  accepted: ['The task has it.', true],
  'InputBody.action': ['Accept it, decline it, or cancel the request.', 'accept'],
  'InputBody.content': ['The answer to a question; not needed for an approval.', 'The blue one'],
}
