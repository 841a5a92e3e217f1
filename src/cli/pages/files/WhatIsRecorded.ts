/** Sentences of commands about the recording of a directory's files. */
import * as StoreFile from "../../../workspace/store/StoreFile.ts"

/** @param which `The files of …` */
export const sentence = (which: string, log: string): string =>
  `${which} are recorded as calls change them, in ${StoreFile.fileOf(log)}: all but those that Git ignores; files that look like secrets by a digest only.`

export const NO_FILES = "--no-files turns this off."
