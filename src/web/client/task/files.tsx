import { type Api, messageOf, type Task } from '../api.ts'
import { Button, Failure } from '../ui.tsx'
import { useEffect, useState } from '../view.ts'

interface File {
  readonly id: string
  readonly name: string
  readonly media_type: string
  readonly size: number
  readonly origin: 'given' | 'downloaded'
}

interface FilesProps {
  readonly api: Api
  readonly task: Task
  /** How many were downloaded so far: with each, the list is read again. */
  readonly downloads: number
}

/** What was given with the task and what it has downloaded. */
export function Files({ api, task, downloads }: FilesProps) {
  const [files, setFiles] = useState<readonly File[]>([])
  const [failed, setFailed] = useState<string | null>(null)
  useEffect(() => {
    api
      .get<{ readonly files: readonly File[] }>(`/v1/tasks/${task.id}/files`)
      .then((page) => setFiles(page.files))
      .catch((error) => setFailed(messageOf(error)))
  }, [task.id, downloads])
  if (files.length === 0 && failed === null) return null
  const save = async (file: File) => {
    setFailed(null)
    await api.save(`/v1/tasks/${task.id}/files/${file.id}`, file.name).catch((error) => setFailed(messageOf(error)))
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
              {sizeOf(file.size)}, {file.origin === 'given' ? 'given with the task' : 'downloaded'}
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
