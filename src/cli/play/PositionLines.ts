/** Shows a game's state as lines for people or as one line of JSON. */
import type { DecisionContext } from "../../kernel/agents/Agent.ts"
import { ACTION_MASK, OBSERVATION } from "../../plugins/manifest/world.ts"
import type { Json } from "../../values/Json.ts"
import { oneLine } from "../../values/PlainText.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import * as ViewPage from "../pages/time/ViewPage.ts"
import type { Style } from "../terminal/Style.ts"
import { json, number, shorten, value } from "../terminal/Text.ts"
import type { Position } from "./Position.ts"
import type { WorldToPlay } from "./WorldToPlay.ts"

export type Readings = DecisionContext["readings"]

/** The step, reward, return and status, then the world; without a view, the observation. */
export const lines = (
  style: Style,
  world: WorldToPlay,
  position: Position,
  readings: Readings,
  columns: number,
): ReadonlyArray<string> => {
  const observed = SafeRecord.get(readings, `${world.plugin}/${OBSERVATION}`)
  const drawn =
    position.world === null
      ? observed === undefined
        ? []
        : [`Observed: ${value(observed, MAX_OBSERVED)}`]
      : ViewPage.drawn(position.world, columns, style.isColoured)
  return [summary(style, position), "", ...drawn]
}

const MAX_OBSERVED = 1_000

const summary = (style: Style, { step, last, return: sum, status }: Position): string => {
  const reward = last?.result?.reward
  const all = [
    `step ${step}`,
    ...(typeof reward === "number" ? [`reward ${number(reward)}`] : []),
    `return ${number(sum)}`,
    status,
  ]
  return style.dim(all.join("   "))
}

export const refusal = ({ last }: Position): string | null =>
  last?.refused == null ? null : shorten(oneLine(`Not carried out: ${last.refused}`), MAX_REFUSAL)

const MAX_REFUSAL = 300

/** One line of JSON with stable keys. `observation` is null once the episode is over. */
export const document = (world: WorldToPlay, taskId: string, position: Position, readings: Readings): string => {
  const { step, last, return: sum, status } = position
  const { reward = null, rewards = {}, terminated = false, truncated = false, info = {} } = last?.result ?? {}
  const reading = (sensor: string): Json => SafeRecord.get(readings, `${world.plugin}/${sensor}`) ?? null
  return json({
    taskId,
    step,
    action: last?.action ?? null,
    refused: last?.refused ?? null,
    reward,
    rewards,
    return: sum,
    terminated,
    truncated,
    status,
    info,
    observation: reading(OBSERVATION),
    mask: reading(ACTION_MASK),
  })
}
