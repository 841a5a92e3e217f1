import * as fs from "node:fs"
import { afterAll, beforeAll, describe } from "vitest"
import * as Session from "../cli/files/session.ts"
import { approve, asked } from "../hooks/questions.ts"
import { inRepository } from "../repository.ts"
import { workplace } from "../workplace.ts"
import { followed } from "./page.ts"

const place = workplace()
afterAll(place.remove)

const CART = `export const total = (items) => {
  let sum = 0
  for (const { price, quantity } of items) sum += price * quantity
  return sum
}
`

const TEST = `import assert from "node:assert/strict"
import { total } from "./cart.js"

assert.equal(total([{ price: 2, quantity: 3 }]), 6)
`

/** The session of the page: the third of its four calls breaks the test. */
const record = async () => {
  for (const [file, text] of Object.entries({
    ".gitignore": "node_modules\n.hindcast\n",
    "package.json": '{ "type": "module" }\n',
    "cart.js": CART,
    "cart.test.js": TEST,
  }))
    place.file(file, text)
  fs.mkdirSync(place.file(".hindcast"))
  const log = place.file(".hindcast/log.db")
  const rules = [{ name: "ask-before-sed", shell: ["sed -i*"], decision: "confirm" as const }]
  const made = await Session.project({ rules, default: "allow" }, { root: place.directory, log })
  const edit = (from: string, to: string) =>
    made.write("cart.js", fs.readFileSync(made.at("cart.js"), "utf8").replace(from, to))
  const { prompt, call, end } = made.session("7f3a")
  await prompt("Round the total to cents, and simplify the code")
  const file_path = made.at("cart.js")
  await call("Read", { file_path })
  const rounded = { old_string: "  return sum", new_string: "  return Math.round(sum * 100) / 100" }
  await call("Edit", { file_path, ...rounded }, () => edit(rounded.old_string, rounded.new_string))
  const answered = asked(log).then((id) => approve(log, id))
  await call("Bash", { command: "sed -i 's/price \\* quantity/price/' cart.js" }, () =>
    edit("price * quantity", "price"),
  )
  await answered
  await call("Write", { file_path: made.at("README.md"), content: "# Cart\n" }, () =>
    made.write("README.md", "# Cart\n"),
  )
  await end()
  await made.close()
}

beforeAll(record, 60_000)

/** Where forks go. */
const temporary = workplace()
const { TMPDIR } = process.env
beforeAll(() => {
  process.env.TMPDIR = temporary.directory
})
afterAll(() => {
  if (TMPDIR === undefined) delete process.env.TMPDIR
  else process.env.TMPDIR = TMPDIR
  temporary.remove()
})

describe("docs/tutorials/broken-session.md, followed word by word", () => {
  followed(inRepository("docs", "tutorials", "broken-session.md"), place.directory, {
    writes: /^(?:hindcast files (?:bisect|fork|restore)|node)/,
  })
})

describe("docs/guides/files-in-a-program.md, followed word by word", () => {
  followed(inRepository("docs", "guides", "files-in-a-program.md"), place.directory, { writes: /^node/ })
})
