/** The options of a new annotation: its subject, its author and its content. */

import { Data, Schema } from "effect"
import * as Moment from "../../events/read/Moment.ts"
import * as Options from "../../values/Options.ts"
import * as PlainText from "../../values/PlainText.ts"
import { visible } from "../../values/PlainText.ts"

/** The subject of an annotation: exactly one of a task and a moment. */
export interface About {
  readonly task?: string
  /** The event at this moment. */
  readonly moment?: Moment.Moment
  /** The task's timeline. Default: the log's, which is `main`. */
  readonly timeline?: string
}

/** A person, by name: `ada` is recorded as `human:ada`. */
interface Author {
  readonly by: string
}

/** Options of `note`. */
export interface NoteOptions extends About, Author {
  readonly text: string
  /** The position of the note that this one corrects. */
  readonly replaces?: number
}

/** Options of `star`. */
export interface StarOptions extends About, Author {}

/** Options of `tag`. */
export interface TagOptions extends Author {
  readonly task: string
  readonly timeline?: string
  readonly tags: ReadonlyArray<string>
  /** Removes the tags instead. */
  readonly remove?: boolean
}

/** Options of `label`. */
export interface LabelOptions extends About, Author {
  /** The judged measure. Default: `pass`. */
  readonly measure?: string
  /** Pass (true) or fail, a score, or a category. */
  readonly value: boolean | number | string
  readonly comment?: string
  /** The answer that would have been right, for data sets. */
  readonly target?: string
}

/** Options of `remove`. */
export interface RemoveOptions extends Author {
  /** The position of the annotation's event. */
  readonly annotation: number
}

/** Nothing was recorded: the annotation does not fit its subject. */
export class NotAnnotated extends Data.TaggedError("NotAnnotated")<{
  readonly about: string
  readonly expected: string
  readonly found: string
}> {
  override get message() {
    return `${visible(this.about)}: expected ${this.expected}, found ${visible(this.found)}. Nothing was recorded.`
  }
}

/** Maximum length of a tag, a measure or a category, in characters. */
const MAX_WORD = 100

/** Maximum length of a note, in characters. */
const MAX_TEXT = 100_000

/** Text on one line, without invisible characters: people compare such words by eye. */
const Word: Schema.Schema<string> = Schema.String.pipe(
  Schema.filter(
    (text) =>
      text.length > 0 &&
      text.length <= MAX_WORD &&
      text.trim() === text &&
      PlainText.isVisible(text) &&
      !/[\r\n\t]/.test(text),
  ),
  Schema.annotations({
    description: `1 to ${MAX_WORD} visible characters on one line, without spaces around them`,
  }),
)

const Words: Schema.Schema<string> = Schema.String.pipe(
  Schema.filter((text) => text.trim() !== "" && text.length <= MAX_TEXT),
  Schema.annotations({ description: `a text of 1 to ${MAX_TEXT} characters` }),
)

const Position = Options.wholeNumber(1)

const author = { by: Options.Name }
const about = { task: Options.Text, moment: Moment.Moment, timeline: Options.Text }

/** Schema of `NoteOptions`. */
export const NoteOptions = Options.of<NoteOptions>({
  required: { ...author, text: Words },
  optional: { ...about, replaces: Position },
})

/** Schema of `StarOptions`. */
export const StarOptions = Options.of<StarOptions>({ required: author, optional: about })

/** Schema of `TagOptions`. */
export const TagOptions = Options.of<TagOptions>({
  required: { ...author, task: Options.Text, tags: Schema.Array(Word) },
  optional: { timeline: Options.Text, remove: Schema.Boolean },
})

/** Schema of `LabelOptions`. */
export const LabelOptions = Options.of<LabelOptions>({
  required: {
    ...author,
    value: Schema.Union(Schema.Boolean, Schema.Finite, Word).annotations({
      description: `true, false, a finite number, or a category: 1 to ${MAX_WORD} visible characters on one line`,
    }),
  },
  optional: { ...about, measure: Word, comment: Words, target: Words },
})

/** Schema of `RemoveOptions`. */
export const RemoveOptions = Options.of<RemoveOptions>({ required: { ...author, annotation: Position } })
