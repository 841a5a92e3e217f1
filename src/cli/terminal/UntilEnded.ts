/** Commands that work until somebody ends them: a signal is then the end that was asked for, and no error. */

import { Context, Effect, MutableRef } from "effect"

/** Whether the command now works until somebody ends it. */
export class UntilEnded extends Context.Reference<UntilEnded>()("hindcast/UntilEnded", {
  defaultValue: () => MutableRef.make(false),
}) {}

/**
 * Declares that from now on only a signal, or the other side of a connection, ends the command. Before, a signal
 * interrupts its start, which is an error.
 */
export const begin: Effect.Effect<void> = Effect.map(UntilEnded, (is) => void MutableRef.set(is, true))

/** Whether a failure is worth a message. The exit code of an end by a signal stays. */
export const isToSay = (is: MutableRef.MutableRef<boolean>, { tag }: { readonly tag: string }): boolean =>
  tag !== "Interrupted" || !MutableRef.get(is)
