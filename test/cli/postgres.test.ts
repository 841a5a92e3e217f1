import { randomBytes } from "node:crypto"
import * as fs from "node:fs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { server } from "../postgres/cluster.ts"
import { sql } from "../postgres/server.ts"
import { inRepository } from "../repository.ts"
import { workplace } from "../workplace.ts"
import { document, hindcast, playLostKey } from "./hindcast.ts"

const place = workplace()
const file = place.file("log.db")
const WANDERER = inRepository("examples", "agents", "wanderer.mjs")
const ROOM = inRepository("plugins", "text-room")

/** Schemas of this file's logs. */
const [copied, worked, restored] = ["a", "b", "c"].map((end) => `t_${randomBytes(6).toString("hex")}_${end}`)

let url = ""
let password = ""

/** The URL of a log, as a user types it. */
const at = (schema: string | undefined) => `${url}?schema=${schema}`

const env = () => ({ PGPASSWORD: password })

const run = (args: ReadonlyArray<string>, schema: string | undefined) =>
  hindcast([...args, "--log", at(schema)], { env: env() })

/** Sets the restored log back to a format without an index of words, and looks at it. */
const readFormat = async (format: number) => {
  await sql(
    `DROP TABLE ${restored}.words, ${restored}.words_reach; BEGIN; SET LOCAL session_replication_role = replica; UPDATE ${restored}.format SET version = ${format}; COMMIT`,
  )
  return run(["task", "ls"], restored)
}

beforeAll(async () => {
  const given = new URL((await server()).url)
  password = decodeURIComponent(given.password)
  given.password = ""
  url = given.href
  await playLostKey(file)
})
afterAll(async () => {
  for (const schema of [copied, worked, restored]) await sql(`DROP SCHEMA IF EXISTS ${schema}, ${schema}_keys CASCADE`)
  place.remove()
})

describe("a log on a PostgreSQL server", () => {
  it("is copied there, answers every look as the file does, and is copied back byte for byte", async () => {
    const there = await hindcast(["log", "copy", file, at(copied)], { env: env() })
    expect(there).toMatchObject({ code: 0 })
    expect(there.stdout).toContain("the copy is verified")
    for (const args of [
      ["log", "ls"],
      ["task", "ls"],
      ["audit", "--all"],
      ["state", "--path", "/tasks"],
      ["why", "@20"],
      ["diff", "@10", "@40"],
      ["log", "show", "@12"],
      ["score", "ls"],
    ]) {
      const ofFile = await document([...args, "--log", file])
      const { code, stdout } = await run([...args, "--json"], copied)
      expect({ args, code, found: JSON.parse(stdout) }).toEqual({ args, code: 0, found: ofFile })
    }
    const searched = ["search", "key", "--json"]
    const { hits } = JSON.parse((await run(searched, copied)).stdout)
    expect(hits).toEqual((await document([...searched.slice(0, 2), "--log", file])).hits)
    expect((await run(["log", "verify"], copied)).stdout).toContain("Intact")
    expect((await run(["log", "info"], copied)).stdout).toContain(
      `${(await document(["log", "verify", "--log", file])).events} events`,
    )
    const gone = await hindcast(["log", "copy", place.file("gone.db"), place.file("new.db")])
    expect(gone).toMatchObject({ code: 3 })
    expect(fs.existsSync(place.file("new.db"))).toBe(false)
    const back = place.file("back.db")
    expect(await hindcast(["log", "copy", at(copied), back], { env: env() })).toMatchObject({ code: 0 })
    const exported = []
    for (const log of [file, back]) {
      const output = place.file(`${exported.length}.jsonl`)
      expect(await hindcast(["export", "events", "--output", output, "--log", log])).toMatchObject({ code: 0 })
      exported.push(fs.readFileSync(output, "utf8"))
    }
    expect(exported[1]).toBe(exported[0])
  }, 120_000)

  it("runs an agent and its plugin, takes notes and scores, and continues", async () => {
    const began = await run(
      ["run", "--agent", WANDERER, "--goal", "win", "--plugin", ROOM, "--gate", "allow", "--max-steps", "5"],
      worked,
    )
    expect(began).toMatchObject({ code: 0 })
    const { tasks } = JSON.parse((await run(["task", "ls", "--json"], worked)).stdout)
    expect(tasks).toMatchObject([{ agent: "wanderer@1.0.0", steps: 5 }])
    expect((await run(["note", "@5", "look here"], worked)).stdout).toContain("look here")
    expect(await run(["rescore", "--rubric", inRepository("examples", "rubrics", "plain.yaml")], worked)).toMatchObject(
      { code: 0 },
    )
    expect(
      await run(["run", "--agent", WANDERER, "--goal", "again", "--gate", "allow", "--max-steps", "3"], worked),
    ).toMatchObject({ code: 0 })
    const plain = ["rescore", "--rubric", inRepository("examples", "rubrics", "plain.yaml"), "--json"]
    const [whole, inParts] = [await run(plain, worked), await run([...plain, "--parts", "2"], worked)].map(
      ({ code, stdout, stderr }) => {
        expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" })
        const { tasks } = JSON.parse(stdout)
        return tasks.map(({ taskId, after }: { taskId: string; after: { net: number } }) => [taskId, after.net])
      },
    )
    expect(whole).toHaveLength(2)
    expect(inParts).toEqual(whole)
    const audited = await Promise.all(
      [[], ["--parts", "2"]].map((more) => run(["audit", "--all", "--json", ...more], worked)),
    )
    expect(audited[1]).toEqual(audited[0])
    const [verified, verifiedInParts] = await Promise.all(
      [[], ["--parts", "3"]].map((more) => run(["log", "verify", "--json", ...more], worked)),
    )
    expect(JSON.parse(verified?.stdout ?? "")).toMatchObject({ intact: true })
    const [found, foundInParts] = [verified, verifiedInParts].map((result) =>
      result?.stdout.replace(/"ageMs": ?[0-9]+/g, ""),
    )
    expect(foundInParts).toBe(found)
  }, 120_000)

  it("is foreign to whoever neither began it, nor copied it from a log of their own, nor trusted it", async () => {
    const work = [
      ...["run", "--agent", WANDERER, "--goal", "again", "--plugin", ROOM, "--gate", "allow", "--max-steps", "2"],
    ]
    // The copy of an own log.
    expect(await run(work, copied)).toMatchObject({ code: 0 })
    const stranger = { ...env(), HINDCAST_STATE: place.file("strangers-store") }
    const theirs = await hindcast([...work, "--log", at(worked)], { env: stranger })
    expect(theirs).toMatchObject({ code: 1 })
    expect(theirs.stderr).toContain("your own store has no record that you began it on this machine or trusted it here")
    // The trust is recorded.
    for (const more of [["--trust-log"], []])
      expect(await hindcast([...work, ...more, "--log", at(worked)], { env: stranger })).toMatchObject({ code: 0 })
    // Reading needs no trust.
    expect(await hindcast(["task", "ls", "--log", at(worked)], { env: stranger })).toMatchObject({ code: 0 })
  }, 120_000)

  it("commands that need a file say so, and what to do", async () => {
    for (const args of [
      ["log", "doctor"],
      ["log", "import", file],
      ["files", "restore", "@5", "--in-place", "--yes"],
      ["demo", "--tasks", "3"],
    ]) {
      const { code, stderr } = await hindcast([...args, "--log", at(copied)], { env: env() })
      expect({ args, code }).toEqual({ args, code: 1 })
      expect(stderr).toContain("expected a log in a file, which this command needs, found one on a PostgreSQL server")
    }
    const files = ["record", "--workspace", ".", "--log", at(copied), "--", "node", "-e", "1"]
    const recording = await hindcast(files, { env: env() })
    expect(recording).toMatchObject({ code: 1 })
    expect(recording.stderr).toContain("expected a log in a file, next to which the contents of files are kept")
    const archive = await run(["log", "archive", "--until", "@5"], copied)
    expect(archive).toMatchObject({ code: 1 })
    expect(archive.stderr).toContain("are not archived into segments")
  }, 120_000)

  it("is backed up in a file, restored elsewhere, and upgraded on request, each verified", async () => {
    const backup = place.file("backup.db")
    const made = await run(["log", "backup", backup], copied)
    expect(made).toMatchObject({ code: 0 })
    expect(made.stdout).toContain("verified")
    expect(made.stdout).toContain(`log restore ${backup} --log '${at(copied)}'`)
    const { head } = JSON.parse((await run(["log", "verify", "--json"], copied)).stdout)
    expect(await document(["log", "verify", "--log", backup])).toMatchObject({ intact: true, head })
    const there = await run(["log", "restore", backup, "--json"], restored)
    expect(there).toMatchObject({ code: 0 })
    expect(JSON.parse(there.stdout)).toMatchObject({ head, copied: head.position })
    expect(JSON.parse((await run(["log", "verify", "--json"], restored)).stdout)).toMatchObject({ intact: true, head })
    const replaced = await run(["log", "restore", backup, "--replace"], restored)
    expect(replaced).toMatchObject({ code: 1 })
    expect(replaced.stderr).toContain("Name another schema (?schema=…)")
    const current = await run(["log", "upgrade"], restored)
    expect(current).toMatchObject({ code: 0 })
    expect(current.stdout).toContain("has the current format")
    const [first, upgraded] = [await readFormat(2), await run(["log", "upgrade"], restored)]
    expect(first.stderr).toContain(`log upgrade --log '${at(restored)}'`)
    expect(upgraded).toMatchObject({ code: 0 })
    expect(upgraded.stdout).toContain("Upgraded")
    expect(upgraded.stdout).toContain("from format 2 to 3")
  }, 120_000)

  it("a password among the arguments is refused and never shown; in HINDCAST_LOG it works and is never shown", async () => {
    const secret = new URL(at(copied))
    secret.password = password
    const typed = await hindcast(["log", "ls", "--log", secret.href])
    expect(typed).toMatchObject({ code: 1 })
    expect(typed.stderr).toContain("expected a URL without a password")
    const named = await hindcast(["log", "verify"], { env: { HINDCAST_LOG: secret.href } })
    expect(named).toMatchObject({ code: 0 })
    const none = new URL(secret)
    none.searchParams.set("schema", "no_such_log")
    const missing = await hindcast(["task", "show", "nothing"], { env: { HINDCAST_LOG: none.href } })
    expect(missing.stderr).toContain("the schema no_such_log holds no log")
    const failed = await hindcast(["task", "show", "nothing"], { env: { HINDCAST_LOG: secret.href } })
    expect(failed.stderr).toContain(`--log '${at(copied)}'`)
    for (const { stdout, stderr } of [typed, named, missing, failed])
      for (const text of [password, encodeURIComponent(password), secret.password])
        expect(stdout + stderr).not.toContain(text)
  }, 60_000)
})
