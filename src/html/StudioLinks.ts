/** Links from a report to a page of Studio next to it (`hindcast export studio`). */

import { type Markup, markup } from "../values/Markup.ts"

export interface StudioLinks {
  /** A relative URL: `run.html`. */
  readonly page: string
  readonly timeline: string
  /** Undefined if the page does not show the task. */
  readonly endOf: (taskId: string) => number | undefined
}

/** A task's id, linked to the task if the page shows it. */
export const task = (links: StudioLinks | undefined, taskId: string): Markup =>
  linked(links, taskId, undefined, markup`<code>${taskId}</code>`)

/** A position, linked to that moment if the page shows it. */
export const at = (links: StudioLinks | undefined, taskId: string, position: number): Markup =>
  linked(links, taskId, position, markup`@${position}`)

/** Links have the form of `format` in `studio/page/model/Address`. */
const linked = (
  links: StudioLinks | undefined,
  taskId: string,
  position: number | undefined,
  shown: Markup,
): Markup => {
  const end = links?.endOf(taskId)
  if (links === undefined || end === undefined || (position !== undefined && position > end)) return shown
  const moment = position === undefined ? [] : [`@${position}`]
  const path = ["t", ...[links.timeline, taskId].map(encodeURIComponent), ...moment].join("/")
  return markup`<a href="${links.page}#/${path}">${shown}</a>`
}
