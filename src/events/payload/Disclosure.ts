/**
 * Decides which readers see personal data, by choosing the keys for `StoredPayload.read`. A reader without keys, and
 * everything folded from its reads, sees each personal field as the replacement that its type declares.
 */

import * as PersonalDataKeys from "./PersonalDataKeys.ts"

/**
 * Returns the keys for a reader.
 *
 * @param decrypted anything but true, for example from an untyped program, withholds personal data
 */
export const keysFor = (keys: PersonalDataKeys.Keys, decrypted: boolean): PersonalDataKeys.Keys =>
  decrypted === true ? keys : NO_KEYS

/** Opens nothing. Only read from. */
const NO_KEYS: PersonalDataKeys.Keys = PersonalDataKeys.memory()
