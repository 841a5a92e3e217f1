import { describe, expect, it } from "vitest"
import * as ChannelEvent from "../../../src/agents/channel/ChannelEvent.ts"
import * as ChatTranscript from "../../../src/cli/chat/ChatTranscript.ts"
import * as RunProgress from "../../../src/cli/task/RunProgress.ts"
import { plain } from "../../../src/cli/terminal/Style.ts"
import type { Event } from "../../../src/events/vocabulary/Event.ts"
import { conversation } from "../../../src/projections/conversation/Conversation.ts"
import { failureWords } from "../../../src/projections/conversation/FailureWords.ts"

const failedWith = (payload: Event["payload"]): Event => ({
  position: 7,
  id: "e7",
  timeline: "main",
  stream: "task/t",
  version: 7,
  type: "ModelFailed",
  schemaVersion: 1,
  taskId: "t",
  causationId: "e6",
  actor: "kernel",
  occurredAt: 0,
  recordedAt: 0,
  hash: "",
  payload: { kind: "rate-limited", reason: "too many requests", latencyMs: 1, ...payload },
})

const WAITS = failedWith({ retryInMs: 302_001 })
const GIVES_UP = failedWith({})

describe("a wait before a model is asked again", () => {
  it("is shown by `hindcast run`, for how long and why", () => {
    const lineOf = (event: Event) => RunProgress.advance({ ...RunProgress.none, taskId: "t" }, event, plain)[1]
    expect(lineOf(WAITS)).toBe("     waits 5 min 3 s: rate-limited: too many requests  @7")
    expect(lineOf(GIVES_UP)).toBeUndefined()
  })

  it("is told to channels, and shown in a chat", () => {
    const happening = (event: Event) => ChannelEvent.tell(ChannelEvent.initial, event, true)[1]
    const [wait] = happening(WAITS)
    expect(wait).toMatchObject({ type: "onRetryWait", retryInMs: 302_001, kind: "rate-limited" })
    expect(happening(GIVES_UP).map(({ type }) => type)).not.toContain("onRetryWait")
    const shown = ChatTranscript.make(plain, "ada", () => false).of({
      ...(wait ?? expect.unreachable("nothing is told")),
      position: 7,
      timeline: "main",
      cursor: "7",
    })
    expect(shown).toBe("The model is asked again in 5 min 3 s (rate-limited: too many requests).\n")
  })

  it("is shown in Studio's talk", () => {
    const shown = [WAITS, GIVES_UP].map(({ position, id, type, timeline, actor, payload }) => {
      const entry = {
        position,
        id,
        type,
        timeline,
        actor,
        task: "t",
        kind: "model",
        bad: true,
        recordedAt: 0,
        occurredAt: 0,
        cause: null,
        line: "",
        payload,
        length: 0,
        unreadable: [],
        changes: [],
      }
      const [answer] = conversation([entry as never])
      return answer?.kind === "answer" && answer.failed !== null ? failureWords(answer.failed) : ""
    })
    expect(shown.map((text) => text.split(":")[0])).toEqual(["waits 5 min 3 s", "rate-limited"])
  })
})
