import * as fs from "node:fs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Database } from "../sqlite.ts"
import { workplace } from "../workplace.ts"
import { asLibraryWrites, document, hindcast, keysOf, playLostKey } from "./hindcast.ts"

const place = workplace()
const log = place.file("log.db")
const key = place.file("signing.key")
const publicKey = `${key}.pub`
const signed = place.file("anchor.json")

beforeAll(async () => {
  await playLostKey(log)
})
afterAll(place.remove)

/** A copy of the log to which something was done that its triggers do not see; with `hidden`, they are put back afterwards. */
const tampered = (name: string, sql: string, hidden = false): string => {
  const copy = place.file(name)
  fs.copyFileSync(log, copy)
  const database = new Database(copy)
  const triggers = ["events_not_updated", "events_not_deleted"].map((trigger) => {
    const made = database.prepare("SELECT sql FROM sqlite_schema WHERE name = ?").pluck().get(trigger)
    database.exec(`DROP TRIGGER ${trigger}`)
    return String(made)
  })
  database.exec(sql)
  if (hidden) for (const trigger of triggers) database.exec(trigger)
  database.close()
  return copy
}

/** Runs a command that has to fail; answers what it says and its JSON document. */
const failing = async (code: number, tag: string, ...args: ReadonlyArray<string>) => {
  const shown = await hindcast(args)
  expect(shown).toMatchObject({ code })
  const json = await hindcast([...args, "--json"])
  expect({ code: json.code, tag: JSON.parse(json.stderr).error.tag }).toEqual({ code, tag })
  expect(asLibraryWrites(shown.stderr)).toContain(`error: ${JSON.parse(json.stderr).error.message}\n`)
  return { stderr: shown.stderr, stdout: shown.stdout, document: json.stdout === "" ? {} : JSON.parse(json.stdout) }
}

describe("log anchor", () => {
  it("makes a key of its own that only the owner may read, says so, and signs the head", async () => {
    const { head } = await document(["log", "verify", "--log", log])
    const shown = await hindcast(["log", "anchor", "--key", key, "--out", signed, "--log", log])
    expect(shown).toMatchObject({ code: 0 })
    expect(shown.stderr).toContain(`No key existed. The new private key is in ${key}`)
    expect(shown.stdout).toMatch(/^Anchored @\d+ [0-9a-f]{64} in .*anchor\.json/)
    expect(fs.statSync(key).mode & 0o777).toBe(0o600)
    expect(fs.readFileSync(publicKey, "utf8")).toMatch(/^-----BEGIN PUBLIC KEY-----/)
    const anchor = JSON.parse(fs.readFileSync(signed, "utf8"))
    expect(anchor).toMatchObject({ format: "hindcast-anchor/1", log: "log.db", ...(head as object) })
    expect(keysOf(anchor)).toEqual(["at", "format", "hash", "log", "position", "publicKey", "signature"])
  })

  it("signs with the key that is there, and prints the document where no file is named", async () => {
    const before = fs.readFileSync(key)
    const { code, stdout, stderr } = await hindcast(["log", "anchor", "--key", key, "--log", log])
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(JSON.parse(stdout).publicKey).toBe(JSON.parse(fs.readFileSync(signed, "utf8")).publicKey)
    expect(fs.readFileSync(key).equals(before)).toBe(true)
  })

  it("warns of a key that others may read", async () => {
    const open = place.file("open.key", fs.readFileSync(key, "utf8"))
    fs.chmodSync(open, 0o644)
    const { code, stderr } = await hindcast(["log", "anchor", "--key", open, "--log", log])
    expect(code).toBe(0)
    expect(stderr).toMatch(/^warning: .*open\.key: others may read it \(mode 644\)/)
  })

  it("never overwrites an anchor or a key, and takes no text for a key: exit 1", async () => {
    const again = await failing(1, "BadInput", "log", "anchor", "--key", key, "--out", signed, "--log", log)
    expect(again.stderr).toContain("never overwritten")
    const text = place.file("text.key", "not a key")
    expect((await failing(1, "KeyInvalid", "log", "anchor", "--key", text, "--log", log)).stderr).toContain("Ed25519")
    expect(fs.readFileSync(text, "utf8")).toBe("not a key")
    place.file("taken.key.pub", "someone's")
    const taken = await failing(1, "BadInput", "log", "anchor", "--key", place.file("taken.key"), "--log", log)
    expect(taken.stderr).toContain("file already exists")
    expect(fs.existsSync(place.file("taken.key"))).toBe(false)
  })

  it("signs no log that was tampered with, and makes no key for it: exit 2", async () => {
    const copy = tampered("unsigned.db", "UPDATE events SET occurred_before = 1000 WHERE position = 5")
    const none = place.file("none.key")
    await failing(2, "Tampered", "log", "anchor", "--key", none, "--log", copy)
    expect(fs.existsSync(none)).toBe(false)
  })
})

describe("log verify --anchor", () => {
  it("holds the log to it, and says whether the key is trusted", async () => {
    const against = ["log", "verify", "--log", log, "--anchor", signed]
    const trusted = await document([...against, "--public-key", publicKey])
    expect(keysOf(trusted)).toEqual(["ageMs", "anchor", "events", "head", "intact", "looks", "recordedAt", "trusted"])
    expect(trusted).toMatchObject({ intact: true, trusted: true })
    const { recordedAt, ageMs } = trusted
    expect(Number(recordedAt) + Number(ageMs)).toBeLessThanOrEqual(Date.now())
    expect(await document(against)).toMatchObject({ intact: true, trusted: false })
    const { stdout } = await hindcast(against)
    expect(stdout).toMatch(
      /^Intact: .*\nIt matches the anchor @\d+ of .*, which was not compared with a key that you trust: .*--public-key/,
    )
  })

  it("finds what the chain alone cannot: the last events removed. Exit 2", async () => {
    const { head } = await document(["log", "info", "--log", log])
    const { position } = head as { readonly position: number }
    const copy = tampered("cut.db", `DELETE FROM events WHERE position > ${position - 3}`, true)
    expect(await document(["log", "verify", "--log", copy])).toMatchObject({ intact: true })
    const args = ["log", "verify", "--log", copy, "--anchor", signed, "--public-key", publicKey]
    const found = await failing(2, "Tampered", ...args)
    expect(found.stderr).toContain("its last events were removed")
    expect(found.document).toMatchObject({ intact: false, position: position - 2, kind: "head changed" })
  })

  it("says what was done, where the chain breaks: exit 2", async () => {
    const copy = tampered("changed.db", "UPDATE events SET payload = payload || ' ' WHERE position = 5", true)
    const found = await failing(2, "Tampered", "log", "verify", "--log", copy)
    expect(found.document).toMatchObject({
      intact: false,
      position: 5,
      kind: "payload changed",
      reason: "its payload is not JSON as the log writes it",
      findings: [{ what: "chain at @5", severity: "damage" }],
    })
  })

  it("looks at everything that answers are made from, and says at what", async () => {
    const { looks } = await document(["log", "verify", "--log", log])
    const parts = [
      ...["chain", "tables and triggers", "pages and indexes", "counts by stream, task and type", "versions"],
      ...["rows outside of the chain", "names", "blobs", "segments", "keys", "snapshots"],
    ]
    expect(looks).toMatchObject(parts.map((what) => ({ what, looked: true })))
    const { stdout } = await hindcast(["log", "verify", "--log", log])
    expect(stdout).toContain(`\nexamined: ${parts.join(", ")}\n`)
    expect(stdout).not.toContain("not examined")
  })

  it("finds an index that was dropped, says what to do, and nothing of it with --quick, which says so", async () => {
    const copy = tampered("unindexed.db", "DROP INDEX events_by_task", true)
    const found = await failing(2, "Tampered", "log", "verify", "--log", copy)
    expect(found.document).toMatchObject({
      intact: false,
      position: null,
      kind: "schema changed",
      findings: [{ what: "index events_by_task", found: "none: it was dropped" }],
    })
    expect(found.stdout).toMatch(
      /damage: index events_by_task\n {2}expected {2}CREATE INDEX .*\n {2}found .*\n {2}do {8}/,
    )
    expect(found.stderr).toContain("was tampered with: index events_by_task")
    const quick = await document(["log", "verify", "--quick", "--log", copy])
    expect(quick).toMatchObject({ intact: true })
    expect(quick.looks).toContainEqual({
      what: "versions",
      looked: false,
      told: "skipped by a quick verification",
    })
    const { stdout } = await hindcast(["log", "verify", "--quick", "--log", copy])
    expect(stdout).toContain("examined: chain\nnot examined: tables and triggers (skipped by a quick verification)")
  })

  it("says that snapshots were not looked at where there is no key to tell by", async () => {
    const copy = place.file("keyless.db")
    fs.copyFileSync(log, copy)
    const database = new Database(copy)
    database.exec("INSERT INTO snapshots VALUES ('Tasks', 'f', 'main', 5, 'e', 's', x'00')")
    database.close()
    const { looks } = await document(["log", "verify", "--log", copy])
    expect(looks).toContainEqual({
      what: "snapshots",
      looked: false,
      told: "no key (<log>.snapshot-key): 1 snapshot is not used",
    })
  })

  it("refuses an altered anchor, another key, no anchor, no file", async () => {
    const against = (file: string, ...more: ReadonlyArray<string>) =>
      ["log", "verify", "--log", log, "--anchor", file, ...more] as const
    const altered = place.file(
      "altered.json",
      fs.readFileSync(signed, "utf8").replace(/"position": (\d)/, '"position": 9$1'),
    )
    expect((await failing(1, "AnchorRefused", ...against(altered))).stderr).toContain("one of the two was changed")
    await document(["log", "anchor", "--key", place.file("other.key"), "--log", log])
    const other = place.file("other.key.pub")
    expect((await failing(1, "AnchorRefused", ...against(signed, "--public-key", other))).stderr).toContain("the key")
    expect((await failing(1, "KeyInvalid", ...against(signed, "--public-key", key))).stderr).toContain("a private key")
    expect((await failing(3, "BadInput", ...against("nowhere.json"))).stderr).toContain(
      "--anchor: expected a readable file",
    )
    const alone = await failing(1, "BadInput", "log", "verify", "--log", log, "--public-key", publicKey)
    expect(alone.stderr).toContain("--anchor FILE with it")
  })
})

describe("log doctor", () => {
  it("finds a sound log healthy: exit 0, and changes nothing in it", async () => {
    const before = fs.readFileSync(log)
    const examined = await document(["log", "doctor", "--log", log, "--anchor", signed, "--public-key", publicKey])
    expect(keysOf(examined)).toEqual(["checked", "findings", "healthy", "log", "looks"])
    expect(examined).toMatchObject({ healthy: true, log, findings: [] })
    const { code, stdout, stderr } = await hindcast(["log", "doctor", "--log", log])
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(stdout).toMatch(/^Healthy: .*log\.db, nothing found\nexamined: file, .*, chain\n$/)
    expect(fs.readFileSync(log).equals(before)).toBe(true)
  })

  it("tells each finding with what to do: exit 2", async () => {
    const copy = tampered("ill.db", "UPDATE events SET occurred_before = 1000 WHERE position = 5")
    const found = await failing(2, "LogDamaged", "log", "doctor", "--log", copy)
    expect(found.document.healthy).toBe(false)
    expect(keysOf(found.document.findings)).toEqual(["advice", "expected", "found", "severity", "what"])
    expect(found.document.findings.map(({ what }: { readonly what: string }) => what)).toEqual([
      ...["trigger events_not_updated", "trigger events_not_deleted", "chain at @5"],
    ])
    expect(found.stdout).toMatch(/^Damaged: .*ill\.db, 3 findings\n/)
    expect(found.stdout).toMatch(
      /damage: chain at @5\n {2}expected {2}.*\n {2}found {5}content changed: .*\n {2}do {8}/,
    )
    expect(found.stderr).toContain("is damaged (3 findings)")
  })

  it("advises on a file that was cut short, which no other command opens: exit 2", async () => {
    const copy = place.file("short.db")
    fs.copyFileSync(log, copy)
    fs.truncateSync(copy, 10_000)
    const found = await failing(2, "LogDamaged", "log", "doctor", "--log", copy)
    expect(found.stdout).toContain("10000 bytes: the file was cut short")
    expect(found.stdout).toContain("bring back the last good backup")
  })

  it("warnings alone make no log ill: exit 0", async () => {
    const copy = place.file("warned.db")
    fs.copyFileSync(log, copy)
    fs.chmodSync(copy, 0o666)
    const examined = await document(["log", "doctor", "--log", copy])
    expect(examined).toMatchObject({ healthy: true, findings: [{ severity: "warning", what: "permissions" }] })
  })

  it("no log: exit 3; another program's file: exit 1", async () => {
    await failing(3, "LogMissing", "log", "doctor", "--log", place.file("missing.db"))
    const other = place.file("theirs.db")
    new Database(other).exec("CREATE TABLE theirs (a)").close()
    await failing(1, "LogFormatUnsupported", "log", "doctor", "--log", other)
  })
})
