import { execFile } from "node:child_process"
import { randomBytes } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { quoteWord } from "../../src/values/ShellWord.ts"
import { hindcast, start } from "../cli/hindcast.ts"
import { server } from "../postgres/cluster.ts"
import { sql } from "../postgres/server.ts"
import { inRepository } from "../repository.ts"
import { workplace } from "../workplace.ts"
import { followed } from "./page.ts"
import { asking, fileOf } from "./standIn.ts"

/*
 * README.md and the demo with a log on a server: each file that README names is the URL of a log, of which the password
 * is in the environment.
 */

const place = workplace()
const asked = asking(place.directory)

const given = new URL((await server()).url)
const password = decodeURIComponent(given.password)
given.password = ""

const schemas = ["agent", "desk", "demo", "world"].map((name) => `t_${randomBytes(6).toString("hex")}_${name}`)
const [agent = "", desk = "", told = "", world = ""] = schemas.map((schema) => `${given.href}?schema=${schema}`)

const readme = fs.readFileSync(inRepository("README.md"), "utf8")
const page = path.join(place.directory, "README.md")
fs.writeFileSync(page, readme.replaceAll("agent.db", quoteWord(agent)).replaceAll("desk.db", desk))

const before = process.env.PGPASSWORD
beforeAll(() => {
  fs.writeFileSync(place.file("agent.py"), fileOf("agent.py"))
  process.env.PGPASSWORD = password
})
afterAll(async () => {
  if (before === undefined) delete process.env.PGPASSWORD
  else process.env.PGPASSWORD = before
  for (const schema of schemas) await sql(`DROP SCHEMA IF EXISTS ${schema}, ${schema}_keys CASCADE`)
  place.remove()
})

describe("README.md with a log on a server, followed word by word", () => {
  followed(page, place.directory, { writes: /^hindcast (record|replay|fork|rescore)\b/ })

  it("asks a model as often as with a file", () => {
    expect(asked).toEqual(["gpt-5", "gpt-5", "gpt-5-mini"])
  })

  it("runs its embedding", async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ["desk.mjs"], { cwd: place.directory })
    expect(stdout.trim()).toBe(/^\/\/ prints: (.*)$/m.exec(readme)?.[1])
    expect(Number((await sql(`SELECT count(*) FROM ${schemas[1]}.events`))[0]?.[0])).toBeGreaterThan(5)
    expect(fs.readdirSync(place.directory).filter((name) => name.endsWith(".db"))).toEqual([])
  })
})

describe("the demo with a log on a server", () => {
  it("tells its story to the end, and names the log in each command to try", async () => {
    const options = { cwd: place.directory, env: { PGPASSWORD: password } }
    const { code, stdout, stderr } = await start(["demo", "--json", "--log", told], options).ended
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(JSON.parse(stdout)).toMatchObject({ resumed: { dispatchedTwice: 0, testsPass: true }, log: told })
    const commands = JSON.parse(stdout).next.map(({ command }: { readonly command: string }) => command)
    expect(commands.length).toBeGreaterThan(5)
    expect(commands.filter((command: string) => command.includes(`--log ${quoteWord(told)}`)).length).toBeGreaterThan(5)
    const verified = await hindcast(["log", "verify", "--json", "--log", told], options)
    expect(JSON.parse(verified.stdout)).toMatchObject({ intact: true })
    const secret = new URL(told)
    secret.password = password
    const refused = await hindcast(["demo"], { ...options, env: { HINDCAST_LOG: secret.href } })
    expect(refused).toMatchObject({ code: 1 })
    expect(refused.stderr).toContain("expected a URL without a password, because the demo names its log")
    expect(refused.stderr).not.toContain(encodeURIComponent(password))
  }, 120_000)

  it("plays its world there, too, and makes a season of tasks only in a file", async () => {
    const options = { cwd: place.directory, env: { PGPASSWORD: password } }
    const { code, stdout, stderr } = await start(["demo", "--world", "--json", "--log", world], options).ended
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(JSON.parse(stdout)).toMatchObject({ log: world })
    const verified = await hindcast(["log", "verify", "--json", "--log", world], options)
    expect(JSON.parse(verified.stdout)).toMatchObject({ intact: true })
    const season = await hindcast(["demo", "--tasks", "5", "--log", `${given.href}?schema=t_none`], options)
    expect(season.code).toBe(1)
    expect(season.stderr).toContain("expected a log in a file")
  }, 120_000)
})
