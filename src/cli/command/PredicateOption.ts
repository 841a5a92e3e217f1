import { Options } from "@effect/cli"

/** What a predicate may say, as help says it. */
export const when = (over: string) =>
  Options.text("when").pipe(
    Options.withPseudoName("CEL"),
    Options.withDescription(`A CEL expression that is true or false, over ${over}`),
  )
