/** The options of a log on a PostgreSQL server. */

import { Schema } from "effect"
import * as Options from "../../values/Options.ts"
import * as Vocabulary from "../vocabulary/Vocabulary.ts"

/** Options of a log on a PostgreSQL server. */
export interface PostgresOptions {
  /**
   * `postgres://user@host:5432/database?schema=hindcast`. Unless `readonly`, a log is created in a schema that does not
   * exist. Put the password into `PGPASSWORD` or a file that `PGPASSFILE` names: other programs on the machine see a
   * URL in the arguments of a command.
   */
  readonly url: string
  /**
   * `full` (default): an acknowledged event survives a crash of the server. `normal`: a crash may lose the last
   * moments, but not dispatches of commands or confirmations; single appends are several times as fast.
   */
  readonly durability?: "normal" | "full"
  /**
   * Deadline for the server's answer to a statement that writes, in milliseconds; a read has four times as long. After
   * it, the connection counts as broken: the log connects again and looks for its events. Default: 30,000.
   */
  readonly deadlineMs?: number
  /**
   * Opens for reading only: creates nothing and changes nothing of the log, and appends fail. A search may extend the
   * index of words, which is no part of the log, if the user may.
   */
  readonly readonly?: boolean
  /** With `false`, fails if there is no log. Default: creates it, unless `readonly`. */
  readonly create?: boolean
  /** With `false`, personal data reads as if its keys were missing. Default: true. */
  readonly personal?: boolean
  /** Event types that appends are validated against. Default: Hindcast's own. */
  readonly vocabulary?: Vocabulary.Vocabulary
}

/** Schema of `PostgresOptions`. */
export const PostgresOptions = Options.of<PostgresOptions>({
  required: { url: Options.Text },
  optional: {
    durability: Schema.Literal("normal", "full"),
    deadlineMs: Schema.Int.pipe(Schema.positive()),
    readonly: Schema.Boolean,
    create: Schema.Boolean,
    personal: Schema.Boolean,
    vocabulary: Vocabulary.Vocabulary,
  },
})
