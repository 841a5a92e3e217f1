/**
 * The standard streams of a command that speaks a protocol with another program: messages go through the standard input
 * and output, remarks for people to the standard error.
 */
import * as CommandHints from "./CommandHints.ts"
import * as Output from "./Output.ts"

/** Where the other program's messages come from. */
export const input: NodeJS.ReadStream = process.stdin

/** Where messages for the other program go. Nothing else may be written to it. */
export const output: NodeJS.WriteStream = process.stdout

/** Writes a remark for people, with commands that work in the user's shell. Escapes control characters. */
export const remark = (text: string): void => Output.noteNow(CommandHints.inText(`hindcast: ${text}`))
