import { command } from '../command.ts'
import { choice } from '../values.ts'

/** Each shell asks `stint __complete` for what may stand at the cursor, with the words so far. */
const scripts = {
  bash: `_stint_complete() {
  local IFS=$'\\n'
  COMPREPLY=($(stint __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
  if [ \${#COMPREPLY[@]} -eq 0 ]; then COMPREPLY=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}")); fi
  case "\${COMPREPLY[*]}" in */) compopt -o nospace ;; esac
}
complete -F _stint_complete stint
`,
  zsh: `#compdef stint
_stint() {
  local -a found
  found=("\${(@f)$(stint __complete -- "\${words[@]:1:$((CURRENT-1))}" 2>/dev/null)}")
  if [[ -n "\${found[*]}" ]]; then compadd -S '' -- "\${found[@]}"; else _files; fi
}
compdef _stint stint
`,
  fish: `function __stint_complete
  set -l words (commandline -opc) (commandline -ct)
  stint __complete -- $words[2..-1] 2>/dev/null
end
complete -c stint -f -a '(__stint_complete)'
`,
} as const

export const completion = command({
  name: 'completion',
  summary: 'Prints a script for your shell that completes commands, options, names and types on Tab.',
  needs: 'nothing',
  args: { shell: { about: 'bash, zsh or fish.', value: choice('bash', 'zsh', 'fish') } },
  examples: [
    ['stint completion bash >> ~/.bashrc', 'For bash.'],
    ['stint completion zsh > ~/.zsh/_stint', 'For zsh, with ~/.zsh in its fpath.'],
    ['stint completion fish > ~/.config/fish/completions/stint.fish', 'For fish.'],
  ],
  run: async (call) => {
    call.terminal.out.write(scripts[call.args.shell])
    await Promise.resolve()
  },
})

export const complete = command({
  name: '__complete',
  summary: 'What may stand at the cursor.',
  needs: 'server',
  hidden: true,
  args: { words: { about: 'Those that were typed, the last one not to its end.', many: true, optional: true } },
  examples: [],
  run: async (call) => {
    const found = await call.complete(call.args.words)
    call.terminal.out.write(found.map((word) => `${word}\n`).join(''))
  },
})
