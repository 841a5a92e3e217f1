/** The option `--cassette`: a file that answers in place of a model's provider. */
import { optionalText } from "../command/CommonOptions.ts"

export const cassette = optionalText(
  "cassette",
  "With --model: a cassette that answers instead of the provider, offline and without a key",
)
