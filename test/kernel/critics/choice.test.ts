import { Either } from "effect"
import { describe, expect, it } from "vitest"
import { targetsOf } from "../../../src/kernel/critics/Critic.ts"
import {
  type AvailableCritics,
  assign,
  type CriticAssignment,
  type CriticPreference,
  checked,
} from "../../../src/kernel/critics/CriticAssignment.ts"
import type { Rubric } from "../../../src/kernel/rules/Rubric.ts"

const rubric: Rubric = {
  name: "test",
  measures: [
    {
      name: "light",
      description: "Is there light?",
      plugin: "room",
      critic: "plugin",
      rewards: [
        { name: "ruled", when: "w", weight: 1, rule: "elapsed > 1.0" },
        { name: "said", when: "w", weight: 1 },
      ],
    },
  ],
}
const [ruled, said] = targetsOf(rubric)
if (ruled === undefined || said === undefined) throw new Error("two rewards")

const nothing: AvailableCritics = { model: false, pluginLacks: () => "room 1.0.0 has no function for it" }
const all: AvailableCritics = { model: true, pluginLacks: () => undefined }
const model: AvailableCritics = { ...nothing, model: true }

describe("who decides a reward", () => {
  const lacking = "it has no rule, room 1.0.0 has no function for it, and no model was asked"
  const wish = (critic: CriticPreference["critic"], of?: string): CriticPreference =>
    of === undefined ? { critic } : { critic, of }
  const cases: ReadonlyArray<
    readonly [string, typeof ruled, AvailableCritics, ReadonlyArray<CriticPreference>, CriticAssignment]
  > = [
    ["its rule, before all others", ruled, all, [], { by: "rule" }],
    ["its plugin's function, where it has no rule", said, all, [], { by: "plugin" }],
    ["the model, where there is neither", said, model, [], { by: "model" }],
    ["nobody, where nothing can", said, nothing, [], { by: "nobody", reason: lacking }],
    ["whom the caller wants for everything", ruled, all, [wish("model")], { by: "model" }],
    [
      "whom the caller wants for the measure, before everything",
      ...([ruled, all, [wish("plugin", "room/light"), wish("model")], { by: "plugin" }] as const),
    ],
    [
      "whom the caller wants for the reward, before the measure",
      ...([ruled, all, [wish("model", "room/light/ruled"), wish("plugin", "room/light")], { by: "model" }] as const),
    ],
    [
      "nobody else than whom the caller wants",
      ...([ruled, nothing, [wish("model")]] as const),
      { by: "nobody", reason: "there is no model, and model was asked for" },
    ],
    ["the last of two wishes", ruled, all, [wish("model"), wish("rule")], { by: "rule" }],
  ]
  it.each(cases)("is %s", (_, target, available, wishes, expected) => {
    expect(assign(target, available, wishes)).toEqual(expected)
  })

  it("is nobody for a rubric's own measure without a rule, as long as no other critic is asked", () => {
    const own = { ...rubric, measures: rubric.measures.map(({ plugin: _, critic: __, ...measure }) => measure) }
    const target = targetsOf(own)[1] ?? said
    const reason = "it has no rule, and no other critic was asked"
    expect(assign(target, { model: false, pluginLacks: () => "x" })).toEqual({ by: "nobody", reason })
  })

  it("is not settled by a wish for what the rubric does not have: it says what there is", () => {
    const wishes: ReadonlyArray<CriticPreference> = [{ of: "room/dark", critic: "model" }]
    const wrong = checked(targetsOf(rubric), wishes)
    expect(Either.isLeft(wrong) && wrong.left.message).toBe(
      "critic for room/dark: expected a measure, or a measure's reward, of the rubric (room/light, room/light/ruled, room/light/said), found none of that name",
    )
    expect(Either.isRight(checked(targetsOf(rubric), [{ of: "room/light/said", critic: "model" }]))).toBe(true)
  })
})
