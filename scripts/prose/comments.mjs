/** A module's doc comments as Markdown with the module's line numbers, for linters. */
import ts from "typescript"

/** Blanks everything but comments. Tags keep their text and lose their names. */
export const commentsOf = (name, text) => {
  const kind = /x$/.test(name) ? ts.ScriptKind.TSX : /js$/.test(name) ? ts.ScriptKind.JSX : ts.ScriptKind.TS
  const source = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true, kind)
  const ranges = new Map()
  const visit = (node) => {
    if (node.kind === ts.SyntaxKind.JsxText) return
    if (node.kind >= ts.SyntaxKind.FirstJSDocNode && node.kind <= ts.SyntaxKind.LastJSDocNode) return
    const children = node.getChildren(source)
    if (children.length > 0) return children.forEach(visit)
    for (const range of ts.getLeadingCommentRanges(text, node.pos) ?? []) ranges.set(range.pos, range)
    for (const range of ts.getTrailingCommentRanges(text, node.end) ?? []) ranges.set(range.pos, range)
  }
  visit(source)
  const lines = text.split("\n").map(() => "")
  for (const { pos, end } of ranges.values()) {
    const first = source.getLineAndCharacterOfPosition(pos).line
    for (const [index, line] of text.slice(pos, end).split("\n").entries()) {
      const said = line
        .replace(/^\s*(?:\/\*\*?|\*\/|\*|\/\/)\s?/, "")
        .replace(/\*\/\s*$/, "")
        .replace(/^@(?:param\s+\S+|\w+)/, "")
        .replaceAll(/\{@link\s+([^}]+)\}/g, "`$1`")
      lines[first + index] = said.trimEnd()
    }
  }
  return lines.join("\n")
}
