/** Images and other files in a message. */
import type { File } from "../../../../projections/conversation/Item.ts"
import { count } from "../format.ts"

export const Files = ({ files }: { readonly files: ReadonlyArray<File> }) => (
  <>
    {files.map(({ mediaType, data }, index) => (
      <p key={index} class="note">
        <bdi>{mediaType}</bdi>, {count(data.length, "character")} of base64
      </p>
    ))}
  </>
)
