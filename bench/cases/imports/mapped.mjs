/** JSON Lines in a custom format, with the mapping of `examples/import`. */
import { fileURLToPath } from "node:url"
import { OUTPUT, stamp, writeLines } from "./lines.mjs"

const FILES = 10
const CALLS = 16_700

export const what = "lines of a mapping"

export const args = ["--mapping", fileURLToPath(new URL("../../../examples/import/mapping.yaml", import.meta.url))]

export const write = (directory) => {
  for (let file = 0; file < FILES; file++) writeLines(directory, `runs-${file}.jsonl`, linesOf(file))
}

function* linesOf(file) {
  const line = (second, event, more) => ({
    session: `session-${file}`,
    time: stamp(second),
    id: `${file}-${second}`,
    event,
    ...more,
  })
  yield line(0, "prompt", { text: "Make the tests pass" })
  for (let call = 0; call < CALLS; call++) {
    const of = { id: `call-${call}`, name: "shell", arguments: { command: `npm test -- ${call}` } }
    yield line(1 + 2 * call, "answer", { text: "I test.", model: "gpt-5", tokens: { in: 100, out: 20 }, calls: [of] })
    yield line(2 + 2 * call, "tool", { call: of.id, output: OUTPUT, status: 0 })
  }
  yield line(1 + 2 * CALLS, "done", { solved: true })
}
