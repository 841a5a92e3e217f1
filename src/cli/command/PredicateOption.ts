/** The option `--when`: a CEL predicate over events or states. */
import { Options } from "@effect/cli"

/** The option `--when`. `over` lists the variables of the expression, for the help text. */
export const when = (over: string) =>
  Options.text("when").pipe(
    Options.withPseudoName("CEL"),
    Options.withDescription(`A CEL expression that is true or false, over ${over}`),
  )
