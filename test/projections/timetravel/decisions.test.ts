import { it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { describe, expect } from "vitest"
import type { Event } from "../../../src/events/vocabulary/Event.ts"
import * as DecisionSentence from "../../../src/projections/timetravel/alignment/DecisionSentence.ts"
import * as DecisionSplit from "../../../src/projections/timetravel/alignment/DecisionSplit.ts"
import * as RunNames from "../../../src/projections/timetravel/alignment/RunNames.ts"
import * as TimeTravel from "../../../src/projections/timetravel/TimeTravel.ts"
import type { Json, JsonObject } from "../../../src/values/Json.ts"
import { arbitraryEvents } from "../arbitraryEvents.ts"
import { type Envelope, event, inTask, place, sha, type Unplaced } from "../given.ts"
import { append, onLog, read } from "../onLog.ts"

const usage = { inputTokens: 1, outputTokens: 1 }

/** A model's answer. */
const answer = (parts: ReadonlyArray<Json>, envelope: Envelope = {}): Unplaced =>
  event("ModelResponded", { response: { parts }, usage }, envelope)

const text = (said: string): JsonObject => ({ type: "text", text: said })

let ids = 0
const nextId = (): number => {
  ids += 1
  return ids
}

const call = (tool: string, args: Json): JsonObject => ({ type: "call", callId: `call-${nextId()}`, tool, args })

const choice = (chosen: JsonObject, agentId?: string): Unplaced =>
  event("DecisionMade", { agent: "stoker@1.0.0", choice: chosen, ...(agentId === undefined ? {} : { agentId }) })

const command = (actuator: string, args: Json, more: { readonly source?: "scenario" } = {}): Unplaced =>
  event("ActuatorCommanded", {
    commandId: `command-${nextId()}`,
    actuator,
    args,
    argsDigest: sha(JSON.stringify(args)),
    priority: 0,
    ...more,
  })

const split = (a: ReadonlyArray<Unplaced>, b: ReadonlyArray<Unplaced>) => {
  const [inA, inB] = [place(a), place(b)].map(DecisionSplit.decisionsOf)
  return DecisionSplit.between(inA ?? [], inB ?? [])
}

const sentence = (a: ReadonlyArray<Unplaced>, b: ReadonlyArray<Unplaced>): string =>
  DecisionSentence.of(split(a, b), [told("A (careful)"), told("B (fast)")])

const told = (label: string, isOpen = false) => ({ label, isOpen })

const places = ({ split: found }: DecisionSplit.DecisionSplit) =>
  found === null ? null : [found.a?.event.position ?? null, found.b?.event.position ?? null]

describe("two runs split", () => {
  it("where the calls differ, and not where times, ids, readings or explanations do", () => {
    const before = [read("39.9"), answer([text("I look."), call("read_file", { path: "prices.mjs" })])]
    const alike = [answer([text("Let me see."), call("read_file", { path: "prices.mjs" })]), read("40.4"), read("41")]
    const a = [...before, answer([call("ask", { question: "May I?" })])]
    const b = [...alike, answer([call("write_file", { path: "prices.mjs", content: "x" })])]
    expect(places(split(a, b))).toEqual([3, 4])
    expect(sentence(a, b)).toBe(
      'Both called read_file with path "prices.mjs" at @2 and @1; then A (careful) called ask with question "May I?" (@3) and B (fast) called write_file with path "prices.mjs" and content "x" (@4). Their words differ from @2 and @1 on, although they make the same calls.',
    )
  })

  it("where only arguments differ, and the sentence leaves out those that are the same", () => {
    const write = (path: string) => [answer([call("write_file", { path, content: "x" })])]
    expect(sentence(write("a.mjs"), write("b.mjs"))).toBe(
      'They differ from their first decision: A (careful) called write_file with path "a.mjs" (@1) and B (fast) called write_file with path "b.mjs" (@1).',
    )
  })

  it("where the last answers differ, which have no calls, and where one ends earlier", () => {
    const same = [answer([call("look", {})])]
    expect(sentence([...same, answer([text("Done.")])], [...same, answer([text("Not done.")])])).toBe(
      'Both called look at @1; then A (careful) said "Done." (@2) and B (fast) said "Not done." (@2).',
    )
    expect(sentence([...same, answer([text("Done.")])], same)).toBe(
      'Both called look at @1; then A (careful) said "Done." (@2) and B (fast) decided nothing more.',
    )
    const growing = split([...same, answer([text("Done.")])], same)
    expect(DecisionSentence.of(growing, [told("A"), told("B", true)])).toContain("B has decided nothing more so far.")
    expect(sentence(same, same)).toBe("The only decision of both is the same.")
    expect(sentence([read(1)], [read(2)])).toBe("Neither records a decision.")
  })

  it("where choices of agents without a model differ, and not at a scenario's commands or a critic's answers", () => {
    const critic = { actor: "critic:judge" }
    const a = [command("room/bell", {}, { source: "scenario" }), choice({ act: "boiler/heat", args: { power: 0.62 } })]
    const b = [
      answer([text("I judge.")], critic),
      choice({ act: "boiler/block_valve" }),
      command("boiler/block_valve", {}),
    ]
    expect(places(split(a, b))).toEqual([2, 2])
    expect(sentence(a, b)).toContain("A (careful) called boiler/heat with power 0.62 (@2)")
  })

  it("by each agent's own decisions, however the agents take turns", () => {
    const one = (move: string) => choice({ act: move }, "one")
    const two = (move: string) => choice({ act: move }, "two")
    expect(places(split([one("go"), two("wait")], [two("wait"), one("go")]))).toBeNull()
    expect(places(split([one("go"), two("wait"), one("stay")], [two("wait"), one("go"), one("run")]))).toEqual([3, 3])
  })

  it("by the forms of decisions that both record: an imported run may lack answers", () => {
    const a = [answer([call("look", {})]), command("look", {}), answer([text("Done.")])]
    expect(split(a, [command("look", {})])).toMatchObject({ same: 1, split: null })
  })

  it("nowhere that cannot be read, and the sentence says how much that is", () => {
    const lost = event("ModelResponded", { response: null, usage })
    const found = split([lost], [answer([text("Hello.")])])
    expect(found).toMatchObject({ same: 0, unreadable: 1, split: null })
    expect(DecisionSentence.of(found, [told("A"), told("B")])).toBe(
      "No decision differs. 1 pair of decisions cannot be read, so it is not compared.",
    )
  })

  it("in one line without hidden characters, however hostile names, keys and texts are", () => {
    const evil = "\u202eevil\n\u001b[31m\u200b"
    const args = { [evil]: evil, ["__proto__"]: 1, long: "🙂".repeat(100_000), b: 1, c: 2 }
    const said = sentence([answer([call(evil, args)])], [answer([text(evil.repeat(1_000))])])
    expect(said).not.toMatch(/[\p{Cc}\p{Cf}]/u)
    expect(said.length).toBeLessThan(1_000)
    expect(said).toContain("and 2 more")
  })

  it("never, compared with themselves, whatever happened", () => {
    fc.assert(
      fc.property(arbitraryEvents(25).map(place), (events) => {
        const decisions = DecisionSplit.decisionsOf(events)
        const own = DecisionSplit.between(decisions, decisions)
        expect(own).toMatchObject({ split: null, worded: null })
        expect(own.same + own.unreadable).toBe(decisions.length)
      }),
    )
  })
})

describe("the names of runs", () => {
  const opened = (agent: string): Unplaced =>
    event("TaskOpened", { goal: "Find out why", measures: [], agent, plugins: [] })
  const nameOf = (timeline: string, events: ReadonlyArray<Unplaced>) =>
    RunNames.of(timeline, "t1", place(events) as ReadonlyArray<Event>)

  it("are the first of agent, model, fork, goal and task that tells all of them apart", () => {
    const careful = nameOf("main", [opened("scripted/careful@1")])
    const hasty = nameOf("fork-1", [
      opened("scripted/careful@1"),
      event("TimelineForked", { timeline: "fork-1", parent: "main", at: 1, overrides: { agent: "scripted/hasty@2" } }),
    ])
    expect(RunNames.labelsOf([careful, hasty])).toEqual(["A (careful)", "B (hasty)"])
    expect(RunNames.labelsOf([careful, { ...careful, timeline: "fork-2" }])).toEqual(["A (main)", "B (fork-2)"])
    expect(RunNames.labelsOf([careful, hasty, careful])).toEqual(["A", "B", "C"])
    expect(RunNames.labelsOf([careful, { ...careful, models: ["x/small"] }])).toEqual(["A", "B"])
    // A generated id tells people nothing: the goal does, or else the letter.
    const run = (number: number, goal: string | null) => ({
      ...{ ...careful, goal, taskId: `claude-code-0198aaaa-0000-7000-8000-00000000000${number}` },
    })
    expect(RunNames.labelsOf([run(1, "Mend it"), run(2, "Paint it\u202e")])).toEqual([
      "A (Mend it)",
      "B (Paint it\\u{202e})",
    ])
    expect(RunNames.labelsOf([run(1, "Mend it"), run(2, "Mend it")])).toEqual(["A", "B"])
    expect(RunNames.labelsOf([run(1, null), run(2, "Mend it")])).toEqual(["A", "B"])
    expect(
      RunNames.labelsOf([
        { ...careful, taskId: "one" },
        { ...careful, taskId: "two" },
      ]),
    ).toEqual(["A (one)", "B (two)"])
  })
})

describe("aligning, in a log,", () => {
  it.live("finds the decision at which a fork leaves its parent, after the last one that they share", () =>
    onLog(
      Effect.gen(function* () {
        const { align } = yield* TimeTravel.TimeTravel
        yield* append([
          ...inTask("t1", [
            event("TaskOpened", { goal: "Mend it", measures: [], agent: "careful@1", plugins: [] }),
            choice({ act: "look" }),
            choice({ act: "mend" }),
          ]),
          ...inTask("t2", [
            event("TaskOpened", { goal: "Mend it", measures: [], agent: "fast@1", plugins: [] }),
            event("DecisionMade", { agent: "fast@1", choice: { act: "look" } }),
            event("DecisionMade", { agent: "fast@1", choice: { act: "hit" } }),
          ]),
        ])
        const found = yield* align({ taskId: "t1" }, { taskId: "t2" })
        expect(found.sentence).toBe(
          "Both called look at @2 and @5; then A (stoker) called mend (@3) and B (fast) called hit (@6).",
        )
        // The first event that differs is another one: the agents' names.
        expect(found.pairs[found.divergence ?? -1]?.a?.type).toBe("TaskOpened")
      }),
    ),
  )
})
