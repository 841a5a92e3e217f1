/** Links of a report into a page of Studio that lies beside it (`hindcast export studio`). */

import { type Markup, markup } from "../values/Markup.ts"

/** The page that the links of a report lead to. */
export interface StudioLinks {
  /** The page, as a relative reference of URLs: `run.html`. */
  readonly page: string
  /** The timeline of the report. */
  readonly timeline: string
  /** The last position that the page shows of a task; undefined if it does not show the task. */
  readonly endOf: (taskId: string) => number | undefined
}

/** A task's id, as a link to its course where the page shows it. */
export const task = (links: StudioLinks | undefined, taskId: string): Markup =>
  linked(links, taskId, undefined, markup`<code>${taskId}</code>`)

/** A position of a task, as a link to that moment where the page shows it. */
export const at = (links: StudioLinks | undefined, taskId: string, position: number): Markup =>
  linked(links, taskId, position, markup`@${position}`)

/** Links are those of `format` in `studio/page/model/Address`. */
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
