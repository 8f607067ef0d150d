import { BrowserTaskError, messageOf } from './api.ts'
import { Button, Dialog } from './ui.tsx'
import { type ComponentChildren, useState } from './view.ts'

export interface Field {
  /** As the API names it. */
  readonly name: string
  readonly label: string
  /** `radio` and `checkbox`: the options one below the other. What is ticked is joined by commas. */
  readonly type?: 'text' | 'email' | 'password' | 'url' | 'radio' | 'checkbox'
  readonly autoComplete?: string
  readonly required?: boolean
  readonly minLength?: number
  readonly maxLength?: number
  readonly placeholder?: string
  /** What can be chosen; the first is chosen at first. */
  readonly options?: readonly (readonly [value: string, words: string, note?: string])[]
}

export interface FormProps {
  readonly fields: readonly Field[]
  /** What the button says. */
  readonly button: string
  readonly kind?: 'main' | 'plain'
  readonly layout?: 'card' | 'start row' | 'start row pair' | ''
  /** Sends what was typed to the API. The form is empty again afterwards. */
  send(given: Readonly<Record<string, string>>): Promise<unknown>
  /** Fields to which codes of the API belong that do not name one. */
  readonly at?: Readonly<Record<string, string>>
  readonly children?: ComponentChildren
}

/** A form over a request of the API. What was typed stays when it is refused, and the field that is wrong says why. */
export function Form({ fields, button, kind = 'main', layout = 'start row', send, at = {}, children }: FormProps) {
  const [failure, setFailure] = useState<{ readonly field: string | null; readonly message: string } | null>(null)
  const [isBusy, setBusy] = useState(false)
  const submit = async (event: Event) => {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    setFailure(null)
    setBusy(true)
    try {
      const given = new FormData(form)
      await send(Object.fromEntries([...given.keys()].map((name) => [name, given.getAll(name).join()])))
      form.reset()
    } catch (error) {
      const field = fieldOf(error, fields, at)
      // The API calls a field by its name, a person by its label.
      const [words = ''] = field?.label.split(' (') ?? []
      const message = messageOf(error).replace(new RegExp(`^${field?.name} `), `${words} `)
      setFailure({ field: field?.name ?? null, message })
      if (field) form.querySelector<HTMLElement>(`[name="${field.name}"]`)?.focus()
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      {failure?.field === null ? <p role="alert">{failure.message}</p> : null}
      <form class={layout} onSubmit={submit}>
        {fields.map((field) => (
          <FormField key={field.name} {...field} wrong={failure?.field === field.name ? failure.message : null} />
        ))}
        <button type="submit" class={kind} disabled={isBusy}>
          {button}
        </button>
        {children}
      </form>
    </>
  )
}

interface FormDialogProps extends FormProps {
  readonly title: string
  /** What is to be known before. */
  readonly about?: ComponentChildren
  /** Called when it was sent, or its reader leaves it. */
  close(): void
}

/** A form above the page. */
export const FormDialog = ({ title, about, send, close, ...form }: FormDialogProps) => (
  <Dialog label={title} close={close}>
    <h2>{title}</h2>
    {about}
    <Form {...form} layout="" send={(given) => send(given).then(close)}>
      <Button act={close}>Cancel</Button>
    </Form>
  </Dialog>
)

interface FormButtonProps extends Omit<FormDialogProps, 'title' | 'close'> {
  /** What the button says that opens the form. */
  readonly opens: string
  /** How that button looks. */
  readonly look?: 'main' | 'plain'
  readonly title?: string
}

/** A button that opens a form. */
export function FormButton({ opens, look = 'main', title = opens, ...form }: FormButtonProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button kind={look} act={() => setOpen(true)}>
        {opens}
      </Button>
      {isOpen ? <FormDialog {...form} title={title} close={() => setOpen(false)} /> : null}
    </>
  )
}

function FormField({ label, options, wrong, ...input }: Field & { readonly wrong: string | null }) {
  const { name, type } = input
  if (type === 'radio' || type === 'checkbox') {
    return (
      <fieldset class="choices">
        <legend>{label}</legend>
        {options?.map(([value, words, note], n) => (
          <label key={value}>
            <input {...{ name, type, value }} defaultChecked={type === 'radio' && n === 0} />
            <span>
              {words}
              {note === undefined ? null : <small class="quiet">{note}</small>}
            </span>
          </label>
        ))}
      </fieldset>
    )
  }
  const said = {
    id: input.name,
    ...(wrong === null ? {} : { 'aria-invalid': true, 'aria-describedby': `${input.name}-wrong` }),
  }
  return (
    <div class="field">
      <label for={input.name}>{label}</label>
      {wrong === null ? null : (
        <p id={`${input.name}-wrong`} class="wrong" role="alert">
          {wrong}
        </p>
      )}
      {options === undefined ? (
        <input {...(input as object)} {...said} />
      ) : (
        <select name={input.name} {...said}>
          {options.map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </select>
      )}
    </div>
  )
}

/** `name_required` is about the field `name`. */
function fieldOf(error: unknown, fields: readonly Field[], at: FormProps['at'] = {}): Field | undefined {
  if (!(error instanceof BrowserTaskError)) return undefined
  const name = at[error.code] ?? error.code.replace(/_(required|invalid)$/, '')
  return fields.find((field) => field.name === name)
}
