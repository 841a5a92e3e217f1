/** The origins of versions for programs: JSON with stable keys. */
import type { Event } from "../../events/vocabulary/Event.ts"
import { defined } from "../../values/defined.ts"
import type { FileVersion } from "../../workspace/history/FileVersions.ts"
import type { Look } from "../../workspace/history/Looks.ts"
import type { Call, Origin } from "../../workspace/history/Origin.ts"
import type { Reading } from "../../workspace/history/Readings.ts"

/** A version of a file, with its origin. */
export const ofVersion = ({ look, path, kind, from, entry, lines }: FileVersion, origin: Origin) => ({
  ...placeOf(look),
  path,
  kind,
  ...defined({ from, size: entry?.size, digest: entry?.digest, omitted: entry?.omitted }),
  ...lines,
  ...causeOf(origin),
})

/** A look that found changes, with their origin. */
export const ofLook = (look: Look, origin: Origin) => ({ ...placeOf(look), ...causeOf(origin) })

const placeOf = ({ event: { position, id, timeline, occurredAt }, taskId }: Look) => ({
  position,
  id,
  timeline,
  occurredAt,
  taskId,
})

const causeOf = ({ kind, calls }: Origin) => ({ cause: kind, calls: calls.map(ofCall) })

const ofCall = ({ command, decision, approval, prompt }: Call) => ({
  ...at(command),
  taskId: command.taskId,
  commandId: command.payload.commandId,
  actuator: command.payload.actuator,
  args: command.payload.args,
  ...defined({
    decision: decision && { ...at(decision), rule: decision.payload.rule },
    approval: approval && {
      ...at(approval),
      approved: approval.payload.approved,
      by: approval.payload.by,
      channel: approval.payload.channel,
    },
    prompt: prompt && { ...at(prompt), source: prompt.payload.source, content: prompt.payload.content },
  }),
})

const at = ({ position, id }: Event) => ({ position, id })

/** The reading of the file before a writing call. */
export const ofReading = ({ read, changedSince }: Reading) => ({
  read:
    read === undefined
      ? null
      : {
          ...at(read.command),
          outcome: read.outcome.position,
          actuator: read.command.payload.actuator,
          args: read.command.payload.args,
        },
  stale: changedSince.length > 0,
  changedSince: changedSince.map(({ look }) => look.event.position),
})
