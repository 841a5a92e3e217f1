/** Why tasks ended as they did: the sentence and the chain that the command line, assistants and Studio show too. */

import { type Link, NAMES, type WhyFailed } from "../../projections/explanation/FailureChain.ts"
import { type Markup, markup } from "../../values/Markup.ts"
import * as StudioLinks from "../StudioLinks.ts"
import { table } from "../Table.ts"

/** The section of one task's page. */
export const ofTask = (why: WhyFailed, studio: StudioLinks.StudioLinks | undefined): Markup =>
  markup`<section><h2>Why did it end like this?</h2>${explained(why, studio)}</section>`

/** The section of a log's page, about its worst tasks. Says so if none failed. */
export const ofLog = (
  worst: ReadonlyArray<WhyFailed>,
  { tasks, failed }: { readonly tasks: number; readonly failed: number },
  studio: StudioLinks.StudioLinks | undefined,
): Markup =>
  worst.length === 0
    ? markup`<section><h2>Why did tasks fail?</h2><p>${tasks === 1 ? "The task did not fail" : "No task failed"}, so there is nothing to explain.</p></section>`
    : markup`<section><h2>${worst.length === 1 ? "Why did a task fail?" : "Why did the worst tasks fail?"}</h2>${worst.map(
        (why) => markup`<h3>Task ${StudioLinks.task(studio, why.taskId)}</h3>${explained(why, studio)}`,
      )}${
        failed > worst.length
          ? markup`<p class="note">${failed - worst.length} more failed, were abandoned or ran into a limit: <code>hindcast why TASK</code> explains each.</p>`
          : null
      }</section>`

const explained = (why: WhyFailed, studio: StudioLinks.StudioLinks | undefined): Markup =>
  markup`<p><bdi>${why.sentence}</bdi></p>${
    why.chain.length === 0
      ? null
      : table(
          `How task ${why.taskId} came to its end`,
          [{ heading: "what" }, { heading: "at" }, { heading: "event" }, { heading: "this is" }],
          why.chain.map((link) => [
            NAMES[link.role],
            StudioLinks.at(studio, why.taskId, link.position),
            markup`<span class="wide"><bdi>${link.says}</bdi></span>`,
            markup`<span class="wraps">${basisOf(link)}</span>`,
          ]),
        )
  }${why.notes.map((note) => markup`<p class="note">${note}</p>`)}${Object.entries(why.rules).map(
    ([rule, says]) => markup`<p class="note">Inferred by <b>${rule}</b>: ${says}.</p>`,
  )}`

const basisOf = ({ basis, rule }: Link): string => (rule === undefined ? basis : `inferred by ${rule}`)
