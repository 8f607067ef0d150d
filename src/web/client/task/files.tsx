import { type Api, messageOf, saveAs, type Task, type TaskFile } from '../api.ts'
import { Button, Failure } from '../ui.tsx'
import { useEffect, useState } from '../view.ts'

interface FilesProps {
  readonly api: Api
  readonly task: Task
  /** How many were downloaded so far: with each, the list is read again. */
  readonly downloads: number
}

/** What was given with the task and what it has downloaded. */
export function Files({ api, task, downloads }: FilesProps) {
  const [files, setFiles] = useState<readonly TaskFile[]>([])
  const [failed, setFailed] = useState<string | null>(null)
  useEffect(() => {
    const read = async () => {
      const found: TaskFile[] = []
      for await (const file of api.tasks.files(task.id)) found.push(file)
      setFiles(found)
    }
    read().catch((error) => setFailed(messageOf(error)))
  }, [task.id, downloads])
  if (files.length === 0 && failed === null) return null
  const save = async ({ id, name }: TaskFile) => {
    setFailed(null)
    const saved = api.tasks.file(task.id, id).then((bytes) => bytes && saveAs(bytes, name))
    await saved.catch((error) => setFailed(messageOf(error)))
  }
  return (
    <section class="details" aria-labelledby="files-title">
      <h2 id="files-title">Files</h2>
      <Failure message={failed} />
      <ul class="files">
        {files.map((file) => (
          <li key={file.id}>
            <span class="words">{file.name}</span>{' '}
            <span class="quiet">
              {sizeOf(file.size)}, {file.origin === 'given' ? 'given with the task' : file.origin}
            </span>{' '}
            <Button label={`Save ${file.name}`} act={() => save(file)}>
              Save
            </Button>
          </li>
        ))}
      </ul>
    </section>
  )
}

const sizeOf = (bytes: number): string =>
  bytes < 1_024
    ? `${bytes} bytes`
    : bytes < 1_048_576
      ? `${Math.round(bytes / 1_024)} KB`
      : `${(bytes / 1_048_576).toFixed(1)} MB`
