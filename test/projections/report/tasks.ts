import type { Event } from "../../../src/events/vocabulary/Event.ts"
import type { Score, ScoredVerdict } from "../../../src/projections/audit/Scores.ts"
import type { TaskAudit } from "../../../src/projections/audit/TaskAudit.ts"
import { event, place, START, sha } from "../given.ts"

/** Random numbers from 0 to 1 that are the same for the same seed. */
const random = (seed: number) => {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const GOALS = [
  "Take the document out of the locked desk",
  "Find the brass lamp before it gets dark",
  "Water the garden",
]
const AGENTS = ["knows-the-way@1.0.0", "wanderer@1.0.0", "visitor@1.0.0", "learner@2.1.0", "careful@0.9.1"]

/** What a log might say instead of its own words. */
export interface Words {
  readonly goal?: string
  readonly agent?: string
  readonly component?: string
  readonly reward?: string
  readonly measure?: string
}

const verdict = (name: string, weight: number, times: number, at: number): ScoredVerdict => ({
  name,
  weight,
  times,
  amount: weight * times,
  because: Array.from({ length: times }, (_, index) => at + index),
})

/** Audits of so many tasks, by agents of differing skill of whom some learn, as a log of them would give. */
export function* audits(tasks: number, words: Words = {}): Generator<TaskAudit> {
  const next = random(7)
  for (let task = 0; task < tasks; task++) {
    const agent = Math.floor(next() * AGENTS.length)
    const skill = 0.2 + 0.12 * agent + (agent % 2) * 0.3 * (task / tasks)
    const won = next() < skill
    const steps = 5 + Math.floor(next() * 20)
    const from = task * 100 + 1
    const failed = Math.floor(next() * 3)
    const denied = next() < 0.1 ? 1 : 0
    const expired = next() < 0.05 ? 1 : 0
    const latencyMs = { p50: 2 + next() * 3, p95: 9, max: 20 + next() * 30 }
    const acted = {
      commanded: steps,
      succeeded: steps - failed - denied - expired,
      failed,
      denied,
      expired,
      unknown: 0,
    }
    const used = {
      calls: steps,
      failed: 0,
      inputTokens: 900 * steps,
      outputTokens: 50 * steps,
      cachedTokens: 0,
      reasoningTokens: 0,
      unmetered: 0,
      cost: { usd: steps / 100, atLeast: steps / 100, unpriced: 0, prices: ["table@1"] },
    }
    const read = { reads: 2 * steps, pushed: 0, failures: next() < 0.05 ? 1 : 0, skipped: 0 }
    yield {
      taskId: `01a1ff87-ef28-7b04-babc-${task.toString(16).padStart(12, "0")}`,
      goal: words.goal ?? GOALS[task % GOALS.length] ?? "",
      agent: words.agent ?? AGENTS[agent] ?? "",
      timeline: "main",
      outcome: won ? "achieved" : next() < 0.5 ? "truncated" : "failed",
      range: { from, to: from + 90 },
      openedAt: START + task * 60_000,
      closedAt: START + task * 60_000 + 1_400,
      durationMs: 1_400,
      steps,
      sensing: { ...read, byComponent: { [words.component ?? "text-room/room"]: { ...read, latencyMs } } },
      acting: { ...acted, byComponent: { [words.component ?? "text-room/go"]: { ...acted, latencyMs } } },
      confirming: { requested: 1, approved: 1, rejected: 0, expired: 0, automatic: steps - 1, medianWaitMs: 900 },
      changes: { operations: 53, paths: 14 },
      model: { ...used, byModel: { "maker/thinker": used } },
      scores: [score(`live-${task}`, won, steps, from, words)],
    }
  }
}

const score = (scoreSetId: string, won: boolean, steps: number, at: number, words: Words): Score => {
  const extra = Math.max(0, steps - 9)
  const rewards = [
    verdict(words.reward ?? "won", 1, won ? 1 : 0, at),
    verdict("within nine commands", 0.5, extra === 0 ? 1 : 0, at),
  ]
  const punishments = [verdict("one command more", 0.05, extra, at + 1), verdict("lost", 0.5, 0, at)]
  const sum = (verdicts: ReadonlyArray<ScoredVerdict>) =>
    Math.round(verdicts.reduce((total, { amount }) => total + amount, 0) * 1e9) / 1e9
  const [earned, lost] = [sum(rewards), sum(punishments)]
  const net = Math.round((earned - lost) * 1e9) / 1e9
  return {
    scoreSetId,
    label: "live",
    critic: "rule@4",
    rubricDigest: sha("rubric"),
    at: at + 91,
    finished: true,
    earned,
    lost,
    net,
    possible: 1.5,
    normalized: net / 1.5,
    unscored: [],
    measures: [{ plugin: "text-room", measure: words.measure ?? "reach-the-goal", rewards, punishments }],
  }
}

/** Events of so many confirmations: some expired, some rejected, answered after milliseconds to minutes. */
export const confirmations = (count: number): ReadonlyArray<Event> => {
  const next = random(3)
  return place(
    Array.from({ length: count }, (_, index) => {
      const confirmationId = String(index)
      const argsDigest = sha("args")
      const asked = { confirmationId, commandId: "c", argsDigest, shown: {}, expiresAt: START + 3_600_000 }
      const waitedMs = Math.round(10 ** (1.5 + 4 * next()))
      const answer =
        next() < 0.1
          ? event("ConfirmationExpired", { confirmationId })
          : event("ConfirmationDecided", {
              confirmationId,
              approved: next() < 0.8,
              by: "ann",
              channel: "cli",
              argsDigest,
              waitedMs,
            })
      return [event("ConfirmationRequested", asked), answer]
    }).flat(),
  )
}
