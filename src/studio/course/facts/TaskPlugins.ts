/** The plugins that took part in a task. */

import { Effect } from "effect"
import type { LogError } from "../../../events/log/EventLog.ts"
import * as Pages from "../../../events/read/Pages.ts"
import type { Event } from "../../../events/vocabulary/Event.ts"
import type { CoreName } from "../../../events/vocabulary/Vocabulary.ts"
import type { TimelineHistory } from "../../../projections/timetravel/TimelineHistory.ts"

/** Events that name a participating plugin. */
const NAMING: ReadonlyArray<CoreName> = [
  ...(["PluginStarted", "EnvironmentReset", "EnvironmentDescribed", "ScenarioStarted"] as const),
  ...(["SensorRead", "SensorFailed", "ActuatorCommanded"] as const),
]

export const of = (past: TimelineHistory, taskId: string): Effect.Effect<ReadonlyArray<string>, LogError> =>
  Effect.suspend(() => {
    const names = new Set<string>()
    const take = (page: ReadonlyArray<Event>) => {
      for (const event of page) for (const name of namesIn(event)) names.add(name)
    }
    return Effect.map(Pages.forEach(past.readPage, { taskId, types: NAMING }, take), () => [...names].sort())
  })

/** The plugins that an event names. A component is `plugin/component`. */
export const namesIn = ({ payload: { plugin, sensor, actuator } }: Event): ReadonlyArray<string> =>
  [plugin, sensor, actuator].flatMap((name) => (typeof name === "string" ? [name.split("/")[0] ?? name] : []))
