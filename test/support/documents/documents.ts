/** Blanks out fenced code, which may contain `#` lines and brackets, and preserves line numbers. */
const withoutFences = (markdown: string) =>
  markdown.replace(/^ *```[^\n]*\n.*?^ *```$/gms, (fence) => fence.replace(/[^\n]/g, ''))

/** All valid link anchors of a document: GitHub's heading anchors and explicit ones. */
export function anchorsOf(markdown: string): string[] {
  const text = withoutFences(markdown)
  const headings = [...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading]) => slugOf(heading as string))
  const explicit = [...text.matchAll(/<a id="([^"]+)">/g)].map(([, id]) => id as string)
  return [...headings, ...explicit]
}

/** Lower case, hyphens for spaces, and no punctuation. */
export const slugOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s+/g, '-')

/** The relative links of a document, without those inside inline code. */
export function relativeLinksOf(markdown: string): { line: number; path: string; anchor: string }[] {
  const text = withoutFences(markdown).replace(/(`+)(?!`).+?(?<!`)\1(?!`)/g, (code) => '`'.repeat(code.length))
  return [...text.matchAll(/\]\(([^()\s]+)\)/g)]
    .filter(([, target]) => !/^[a-z]+:/.test(target as string))
    .map(({ index, 1: target = '' }) => {
      const [path = '', anchor = ''] = target.split('#')
      return { line: text.slice(0, index).split('\n').length, path, anchor }
    })
}
