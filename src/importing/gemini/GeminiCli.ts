/**
 * Sessions of Gemini CLI: JSON Lines in `~/.gemini/tmp/<project>/chats/session-<time>-<id>.jsonl`, those of sub-agents
 * in a directory named after the session; before 2026, a document `session-<time>-<id>.json`. Of a message written
 * twice, the last counts.
 */

import { APPROVALS, DEFINITIONS, INSTRUCTIONS, REQUESTS, SETTINGS, TOOL_TIMES, WORLD } from "../runs/FormatCapture.ts"
import type { MappedRuns } from "../runs/Runs.ts"
import { field, isObject, listOf, textOf } from "../runs/Untrusted.ts"
import type { FileHead, Mapper, Source, SourceFile } from "../Source.ts"
import { Session } from "./Session.ts"

const isHead = (value: unknown): boolean =>
  textOf(value, "sessionId") !== undefined && textOf(value, "projectHash") !== undefined

export const geminiCli: Source = {
  name: "gemini-cli",
  title: "session of Gemini CLI",
  form: "either",
  capture: { pairing: null, lacks: [INSTRUCTIONS, DEFINITIONS, SETTINGS, REQUESTS, APPROVALS, TOOL_TIMES, WORLD] },
  recognizes: ({ lines, text }: FileHead) =>
    lines.some(isHead) ||
    (/^\s*\{\s*"sessionId"/.test(text) &&
      /"projectHash"\s*:/.test(text.slice(0, 1_000)) &&
      /"messages"\s*:/.test(text)),
  open: (file: SourceFile, runs: MappedRuns): Mapper => {
    const session = new Session(runs, file)
    return {
      record: ({ value }) => {
        if (isHead(value)) session.head(value)
        const set = field(value, "$set")
        const rewound = textOf(value, "$rewindTo")
        for (const message of [...listOf(value, "messages"), ...listOf(set, "messages")]) session.message(message)
        if (rewound !== undefined) session.rewound(rewound)
        if (!isHead(value) && !isObject(set) && rewound === undefined) session.message(value)
      },
      end: () => session.end(),
    }
  },
}
