/** Why a model cannot be used, found before it is asked anything. None of these errors holds a key. */

import { Data } from "effect"

/** The provider's name is not known. Use one of `known`. */
export class UnknownProvider extends Data.TaggedError("UnknownProvider")<{
  /** The model's name as it was given. */
  readonly found: string
  readonly known: ReadonlyArray<string>
  /** The known provider that was probably meant. */
  readonly nearest?: string
}> {
  override get message() {
    const expected = `Expected a model as provider/model, with one of the providers ${this.known.join(", ")}`
    const suggestion = this.nearest === undefined ? "" : ` Did you mean ${this.nearest}?`
    return `${expected}; found ${JSON.stringify(this.found)}.${suggestion}`
  }
}

/** The package of a provider is not installed, or with another major version. Run the command in the message. */
export class ProviderMissing extends Data.TaggedError("ProviderMissing")<{
  readonly provider: string
  readonly package: string
  /** The version that fits: `3` is every 3.x. */
  readonly major: string
  /** The version that is installed, if any. */
  readonly found?: string
}> {
  override get message() {
    const found = this.found === undefined ? "is not installed" : `is installed as ${this.found}`
    return `Models of ${this.provider} need the package ${this.package}, version ${this.major}, which ${found}. Run: npm install ${this.package}@${this.major}`
  }
}

/** The provider needs a key and has none. Set the environment variable, or give `apiKey`. */
export class KeyMissing extends Data.TaggedError("KeyMissing")<{
  readonly provider: string
  /** The environment variable that holds the key. */
  readonly variable: string
  /** What the variable holds instead of a key. */
  readonly found: string
}> {
  override get message() {
    return `Models of ${this.provider} need a key: expected one in the environment variable ${this.variable} or the option apiKey, found ${this.found}.`
  }
}
