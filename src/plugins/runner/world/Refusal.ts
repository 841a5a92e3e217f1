/** Why a world's call was refused: an error with a code for programs. */

export const refusal = (code: string, message: string): Error => Object.assign(new Error(message), { code })
