import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { workplace } from "../workplace.ts"
import { run } from "./fromSource.ts"
import { writeHistory } from "./smallHistory.ts"

const place = workplace()
const log = place.file("log.db")
const TASKS = 12

beforeAll(() => writeHistory(log, TASKS))
afterAll(place.remove)

const says = async (...words: ReadonlyArray<string>) => run([...words, "--log", log])
const prints = async (...words: ReadonlyArray<string>) => {
  const { code, stdout, error } = await says(...words)
  expect([words, code, error]).toEqual([words, 0, ""])
  return stdout
}
const document = async (...words: ReadonlyArray<string>) => JSON.parse(await prints(...words, "--json"))

describe("note, star, tag and label", () => {
  it("are listed, found again by subject, kind, person and text, and shown with what they are about", async () => {
    expect(await prints("note", "@3", "Here it gave up", "--by", "ada")).toMatch(/^Noted: @3: Here it gave up @\d+\n$/)
    await prints("note", "task-2", "of the task", "--by", "bob")
    await prints("star", "@3", "--by", "ada")
    expect(await prints("star", "main@3", "--by", "ada")).toBe("You have starred main@3 already.\n")
    await prints("tag", "task-2", "flaky", "slow", "--by", "ada")
    await prints("label", "task-2", "fail", "error=wrong tool", "helpful=-0.5", "--by", "ada", "--comment", "too slow")
    const kinds = async (...words: ReadonlyArray<string>) =>
      (await document("notes", ...words)).annotations.map(({ kind }: { kind: string }) => kind)
    expect(await kinds()).toEqual(["note", "note", "star", "tag", "tag", "label", "label", "label"])
    expect(await kinds("@3")).toEqual(["note", "star"])
    expect(await kinds("task-2", "--kind", "label")).toEqual(["label", "label", "label"])
    expect(await kinds("--by", "bob")).toEqual(["note"])
    expect(await kinds("--search", "GAVE UP")).toEqual(["note"])
    expect(await prints("notes", "--search", "nowhere")).toBe("There are no such notes, stars, tags or labels.\n")
    const shown = await prints("task", "show", "task-2")
    expect(shown).toMatch(/^ {2}tags +flaky, slow$/m)
    expect(shown).toMatch(/^note {2}of the task {2}by human:bob, @\d+$/m)
    expect(shown).toMatch(/^label {2}error = wrong tool; too slow {2}by human:ada, @\d+$/m)
    expect(await prints("log", "show", "@3")).toMatch(/^@3 ★ {2}by human:ada, @\d+$/m)
    expect((await document("log", "show", "@3")).annotations).toHaveLength(2)
    expect(await document("log", "show", "@2")).not.toHaveProperty("annotations")
  })

  it("select tasks by their tags", async () => {
    await prints("tag", "task-3", "flaky")
    const ids = async (...words: ReadonlyArray<string>) =>
      (await document("task", "ls", ...words)).tasks.map(({ id }: { id: string }) => id)
    expect(await ids("--tag", "flaky")).toEqual(["task-2", "task-3"])
    expect(await ids("--tag", "slow", "--tag", "flaky")).toEqual(["task-2", "task-3"])
    expect(await ids("--limit", "1", "--tag", "flaky")).toEqual(["task-3"])
    await prints("tag", "task-3", "flaky", "--remove")
    expect(await ids("--tag", "flaky")).toEqual(["task-2"])
    expect(await says("task", "ls", "--tag", "nope")).toMatchObject({
      code: 3,
      error: `Expected a task with --tag nope, found none among ${TASKS + 1}.`,
    })
    const all = await document("audit", "--all", "--where", '"flaky" in task.tags')
    expect(all.tasks).toBe(1)
  })

  it("can be corrected and removed", async () => {
    const [noted] = (await document("note", "task-4", "frist", "--by", "ada")).events
    await prints("note", "task-4", "first", "--correct", `@${noted.position}`, "--by", "ada")
    const [corrected] = (await document("notes", "task-4")).annotations
    expect(corrected).toMatchObject({ text: "first", corrects: noted.position })
    await prints("note", `@${corrected.at}`, "--remove")
    await prints("label", "task-4", "pass", "--by", "ada")
    await prints("label", "task-4", "fail", "--by", "ada")
    expect((await document("notes", "task-4")).annotations).toMatchObject([{ kind: "label", value: false }])
    await prints("label", "task-4", "pass", "--remove", "--by", "ada")
    expect((await document("notes", "task-4")).annotations).toEqual([])
    expect(await prints("star", "task-4", "--remove")).toBe("You have not starred task-4.\n")
  })

  it("refuse what does not fit, and say what to type", async () => {
    const refuses = async (code: number, error: string, ...words: ReadonlyArray<string>) =>
      expect(await says(...words)).toMatchObject({ code, error: expect.stringContaining(error) })
    await refuses(3, 'No task "nope"', "note", "nope", "text")
    await refuses(3, "@99999", "star", "@99999")
    await refuses(1, "TEXT: expected a note", "note", "@3")
    await refuses(1, "expected pass, fail or NAME=VALUE", "label", "task-2", "faill")
    await refuses(1, "expected at least one tag", "tag", "task-2")
    await refuses(1, "visible characters", "tag", "task-2", "a\u202eb")
    await refuses(1, "the position of an annotation", "note", "task-2", "--remove")
    await refuses(1, "expected a note, a star or a label, found none", "note", "@3", "--remove")
  })
})

describe("compare with people", () => {
  it("prints how far they agree, with κ and base rates, or why κ is undefined", async () => {
    // Ada passes 0 … 5, Bob 0 … 7, Carl all: 6 + 4 of 12 agree, by chance (6·8 + 6·4) / 144 = 0.5.
    for (let index = 0; index < TASKS; index++) {
      await prints("label", `task-${index}`, index < 6 ? "pass" : "fail", "--by", "ada")
      await prints("label", `task-${index}`, index < 8 ? "pass" : "fail", "--by", "bob")
      await prints("label", `task-${index}`, "pass", "--by", "carl")
    }
    const shown = await prints("compare", "human:ada", "human:bob")
    expect(shown).toMatch(
      /^ {2}agreement +83\.3 % of 12 tasks: 6 pass in both, 4 in neither, 0 only in A, 2 only in B$/m,
    )
    expect(shown).toMatch(
      /^ {2}Cohen's κ +0\.667 \(base rates: 50 % pass in A, 66\.7 % in B; by chance they would agree on 50 %\)$/m,
    )
    expect(await prints("compare", "human:ada", "human:carl")).toMatch(
      /^ {2}Cohen's κ +undefined: B gives every task the same verdict, so any agreement is chance$/m,
    )
    expect(await prints("compare", "live", "live")).not.toContain("κ")
  })
})
