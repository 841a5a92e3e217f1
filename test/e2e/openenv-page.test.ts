/** The page about foreign environments, whose server is `hindcast serve --openenv` on a free port. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import { afterAll, describe } from "vitest"
import { MAIN } from "../built.ts"
import { inRepository } from "../repository.ts"
import { workplace } from "../workplace.ts"
import { followed } from "./page.ts"

const page = inRepository("docs", "guides", "play-in-openenv.md")
const place = workplace()
const copy = place.file("page.md")
const words = ["serve", "--openenv", "cart-pole", "--port", "0", "--log", place.file("server.db")]
const server = spawn(process.execPath, [MAIN, ...words], { stdio: ["ignore", "ignore", "pipe"] })
const closed = once(server, "close")
afterAll(async () => {
  server.kill("SIGTERM")
  await closed
  // `UPDATE_PAGES=1` writes into the copy.
  const written = fs.readFileSync(copy, "utf8").replaceAll(`127.0.0.1:${port}`, "127.0.0.1:8000")
  if (process.env.UPDATE_PAGES === "1") fs.writeFileSync(page, written)
  place.remove()
})
const [line] = await once(server.stderr.setEncoding("utf8"), "data")
const port = /http:\/\/127\.0\.0\.1:(\d+)/.exec(String(line))?.[1] ?? ""

describe("docs/guides/play-in-openenv.md, followed word by word", () => {
  fs.writeFileSync(copy, fs.readFileSync(page, "utf8").replaceAll("127.0.0.1:8000", `127.0.0.1:${port}`))
  followed(copy, place.directory, { writes: /^(hindcast (plugin|rollout)|node)\b/ })
})
