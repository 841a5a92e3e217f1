/** Run by Deno: prints how our worlds go along Gymnasium's episodes, as JSON. */
import { playGold } from "./episodes.ts"

console.log(JSON.stringify(await playGold()))
