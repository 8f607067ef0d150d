import { usageError } from './exit-codes.ts'

/** What a shell completes, by command. */
export type Words = ReadonlyMap<string, readonly string[]>

/** [Q19] A script that completes commands and their options in a shell. */
export function completionOf(shell: string, name: string, words: Words): string {
  const commands = [...words.keys()].join(' ')
  const cases = [...words].map(([command, options]) => `    ${command}) words="${options.join(' ')}" ;;`).join('\n')
  if (shell === 'fish')
    return [
      `complete -c ${name} -f -n __fish_use_subcommand -a "${commands}"`,
      ...[...words].map(
        ([command, options]) =>
          `complete -c ${name} -n "__fish_seen_subcommand_from ${command}" -a "${options.join(' ')}"`,
      ),
    ].join('\n')
  if (shell !== 'bash' && shell !== 'zsh') throw usageError('completion takes bash, zsh or fish.')
  const script = `_browser_task_service() {
  local words="${commands}"
  [ "$COMP_CWORD" -gt 1 ] && case "\${COMP_WORDS[1]}" in
${cases}
    *) words="" ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _browser_task_service ${name}`
  return shell === 'zsh' ? `autoload -U +X bashcompinit && bashcompinit\n${script}` : script
}
