/** Images and other files in a message. */

import { useMemo } from "preact/hooks"
import type { File } from "../../../../projections/conversation/Item.ts"
import { pictureIn } from "../../model/conversation/pictures.ts"
import { count } from "../format.ts"
import { Picture } from "./Picture.tsx"

export const Files = ({ files }: { readonly files: ReadonlyArray<File> }) => (
  <>
    {files.map((file, index) => (
      <Shown key={index} file={file} />
    ))}
  </>
)

const Shown = ({ file }: { readonly file: File }) => {
  const picture = useMemo(() => pictureIn(file), [file.data])
  if (picture !== undefined) return <Picture picture={picture} alt="" />
  return (
    <p class="note">
      a file: <bdi>{file.mediaType}</bdi>, {count(file.data.length, "character")} of base64
    </p>
  )
}
