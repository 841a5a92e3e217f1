import type { Score } from "../../src/projections/audit/Scores.ts"
import type { TaskAudit } from "../../src/projections/audit/TaskAudit.ts"

/** Words that would break a document, or do something in it, if they were not taken for words. */
export const WILD = [
  "a | b",
  "tick ` and `` ticks ```",
  "`",
  "<script>alert(1)</script> & <b>",
  "line\nbreak\r\n\n# no heading\n| no | table |",
  "*star* _under_ [link](http://x.y) ![image](z) https://a.b @someone #12",
  "back\\slash \\| bar \\",
  " spaces ",
  "\u001b[31mred\u202e",
  "",
]

/** What a task scored, as far as pages show it. */
export const scored = (more: Partial<Score> = {}): Score => ({
  scoreSetId: "set-1",
  label: "live",
  critic: "rule@4",
  rubricDigest: null,
  at: 40,
  finished: true,
  earned: 0.8,
  lost: 0.1,
  net: 0.7,
  possible: 1,
  normalized: 0.7,
  unscored: [],
  measures: [
    {
      plugin: "room",
      measure: "progress",
      rewards: [
        { name: "found the key", weight: 0.3, times: 1, amount: 0.3, because: [12] },
        { name: "went on", weight: 0.25, times: 2, amount: 0.5, because: [8, 20] },
        { name: "never", weight: 0.45, times: 0, amount: 0, because: [] },
      ],
      punishments: [{ name: "noise", weight: 0.1, times: 1, amount: 0.1, because: [15, 16] }],
    },
  ],
  ...more,
})

/** An audit, as far as pages show it. */
export const audited = (more: Partial<TaskAudit> = {}): TaskAudit => ({
  taskId: "01a1ff87-ef28-7b04-babc-0123456789ab",
  goal: "Find the document",
  agent: "walker@1.0.0",
  timeline: "main",
  outcome: "achieved",
  range: { from: 3, to: 39 },
  openedAt: Date.UTC(2026, 0, 1),
  closedAt: Date.UTC(2026, 0, 1) + 5_000,
  durationMs: 5_000,
  steps: 2,
  sensing: {
    reads: 6,
    pushed: 2,
    failures: 1,
    skipped: 0,
    byComponent: {
      "room/view": { reads: 4, pushed: 0, failures: 1, skipped: 0, latencyMs: { p50: 1.25, p95: 2, max: 3 } },
      "room/bell": { reads: 2, pushed: 2, failures: 0, skipped: 0, latencyMs: null },
    },
  },
  acting: {
    commanded: 3,
    succeeded: 1,
    failed: 0,
    denied: 1,
    expired: 1,
    unknown: 0,
    byComponent: {
      "room/go": {
        commanded: 3,
        succeeded: 1,
        failed: 0,
        denied: 1,
        expired: 1,
        unknown: 0,
        latencyMs: { p50: 4, p95: 5, max: 6 },
      },
    },
  },
  confirming: { requested: 1, approved: 0, rejected: 0, expired: 1, automatic: 1, medianWaitMs: null },
  changes: { operations: 4, paths: 2 },
  scores: [scored()],
  ...more,
})

/** When the events were recorded that `scored` cites. */
export const TIMES: ReadonlyMap<number, number> = new Map([8, 12, 16, 20].map((position) => [position, 100 * position]))
