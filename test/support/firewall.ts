import { execFileSync, spawnSync } from 'node:child_process'

/** The rule needs root, and a kernel that knows owners of sockets. */
const ruleOf = (gid: number) => ['OUTPUT', '-m', 'owner', '--gid-owner', String(gid), '-j', 'DROP']

/** Whether `lose` works here. */
export const canLose =
  spawnSync('iptables', ['-I', ...ruleOf(47_000)]).status === 0 &&
  spawnSync('iptables', ['-D', ...ruleOf(47_000)]).status === 0

/**
 * A machine is lost with its network: nothing that the processes of this group send arrives any more, not even that a
 * connection is closed. Gives what brings it back; it comes back with the end of this process at the latest.
 */
export function lose(gid: number): () => void {
  execFileSync('iptables', ['-I', ...ruleOf(gid)])
  const back = () => {
    process.off('exit', back)
    execFileSync('iptables', ['-D', ...ruleOf(gid)])
  }
  process.on('exit', back)
  return back
}
