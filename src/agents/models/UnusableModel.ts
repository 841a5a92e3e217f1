/** Errors of a model that cannot be used, found before its first request. None of them contains a key. */

import { Data } from "effect"

/** The provider's name is unknown. Use one of `known`. */
export class UnknownProvider extends Data.TaggedError("UnknownProvider")<{
  readonly found: string
  readonly known: ReadonlyArray<string>
  readonly nearest?: string
  /** The models of active plugins, as `plugin/model`, if they were looked at. */
  readonly offered?: ReadonlyArray<string>
}> {
  override get message() {
    const { offered } = this
    const listed =
      offered === undefined ? "" : `, or a model of an active plugin (${offered.join(", ") || "they have none"})`
    const expected = `Expected a model as provider/model, with one of the providers ${this.known.join(", ")}${listed}`
    const suggestion = this.nearest === undefined ? "" : ` Did you mean ${this.nearest}?`
    return `${expected}; found ${JSON.stringify(this.found)}.${suggestion}`
  }
}

/** The package of a provider is not installed, or with another major version. Run the command in the message. */
export class ProviderMissing extends Data.TaggedError("ProviderMissing")<{
  readonly provider: string
  readonly package: string
  /** The required version: `3` means every 3.x. */
  readonly major: string
  readonly found?: string
}> {
  override get message() {
    const found = this.found === undefined ? "is not installed" : `is installed as ${this.found}`
    return `Models of ${this.provider} need the package ${this.package}, version ${this.major}, which ${found}. Run: npm install ${this.package}@${this.major}`
  }
}

/** The provider needs a key and has none. Set the environment variable, or pass `apiKey`. */
export class KeyMissing extends Data.TaggedError("KeyMissing")<{
  readonly provider: string
  readonly variable: string
  readonly found: string
}> {
  override get message() {
    return `Models of ${this.provider} need a key: expected one in the environment variable ${this.variable} or the option apiKey, found ${this.found}.`
  }
}
