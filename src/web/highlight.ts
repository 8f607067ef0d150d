const TEXT = `"(?:[^"\\\\\\n]|\\\\.)*"|'(?:[^'\\\\\\n]|\\\\.)*'|\`(?:[^\`\\\\]|\\\\.)*\``
const C_LIKE = `(?<comment>//.*$)|(?<text>${TEXT})|(?<word>\\b(?:import|from|export|const|let|await|async|function|return|if|else|for|of|new|throw|try|catch|while)\\b)`
const PATTERNS: Readonly<Record<string, string>> = {
  sh: `(?<comment>(?<=^|\\s)#.*$)|(?<text>"(?:[^"\\\\]|\\\\.)*"|'[^']*')|(?<word>(?<=^|\\| *)(?:curl|npm|npx|export|pip)\\b)`,
  ts: C_LIKE,
  js: C_LIKE,
  python: `(?<comment>#.*$)|(?<text>${TEXT})|(?<word>\\b(?:import|from|def|return|if|elif|else|for|in|with|as|while|not|and|or|None|True|False|raise|try|except)\\b)`,
  json: `(?<word>"(?:[^"\\\\\\n]|\\\\.)*"(?=\\s*:))|(?<text>"(?:[^"\\\\\\n]|\\\\.)*")`,
}

/** Code in parts: comments, texts and words of the language, and what is none of these (`''`). */
export function partsOf(text: string, language: string): (readonly [kind: string, part: string])[] {
  const pattern = PATTERNS[language === 'bash' ? 'sh' : language]
  if (pattern === undefined) return [['', text]]
  const parts: (readonly [string, string])[] = []
  let end = 0
  for (const { 0: found, index, groups = {} } of text.matchAll(new RegExp(pattern, 'gm'))) {
    const [kind = ''] = Object.entries(groups).find(([, value]) => value !== undefined) ?? []
    parts.push(['', text.slice(end, index)], [kind, found])
    end = index + found.length
  }
  return [...parts, ['', text.slice(end)]]
}
