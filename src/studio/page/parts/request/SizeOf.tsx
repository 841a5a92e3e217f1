/** The size of a request: the provider's counts, or estimates that say so, and a bar of its parts. */
import { estimateOf } from "../../../../projections/request/RequestSizes.ts"
import type { SeenTurn } from "../../../../projections/request/SeenTurn.ts"
import { count } from "../format.ts"

export const SizeOf = ({ saw }: { readonly saw: SeenTurn }) => {
  const { request, sizes, isConfirmed } = saw
  const { inputTokens, cachedTokens, cacheWriteTokens } = request.usage
  const estimate = estimateOf(sizes)
  const tools = "value" in request.tools ? count(request.tools.value.length, "tool") : "tools not recorded"
  return (
    <>
      <p class="facts">
        <span>{count(request.messages.length, "message")}</span>
        <span>{tools}</span>
        {inputTokens === undefined ? (
          <span title="The provider's count is not recorded. Estimated from the length of the text">
            about {estimate.toLocaleString("en")} tokens, estimated
          </span>
        ) : (
          <span title="By the provider's count">{inputTokens.toLocaleString("en")} tokens</span>
        )}
        {cachedTokens === undefined ? null : <span>{cachedTokens.toLocaleString("en")} from the cache</span>}
        {cacheWriteTokens === undefined ? null : (
          <span>{cacheWriteTokens.toLocaleString("en")} written to the cache</span>
        )}
        {isConfirmed === null ? null : (
          <span title="The agent records a digest of each whole request">
            {isConfirmed ? "complete, by its digest" : "its digest differs: a setting or a part is not recorded"}
          </span>
        )}
      </p>
      <details>
        <summary>sizes by part</summary>
        <table class="sizes">
          <thead>
            <tr>
              <th>part</th>
              <th class="n">number</th>
              <th class="n">tokens, estimated</th>
            </tr>
          </thead>
          <tbody>
            {sizes.map(({ part, count: number, estimatedTokens, files }) => (
              <tr key={part}>
                <th scope="row">
                  <bdi>{part}</bdi>
                </th>
                <td class="n">{number.toLocaleString("en")}</td>
                <td class="n">
                  {estimatedTokens.toLocaleString("en")}
                  {files === 0 ? "" : ` and ${count(files, "file")}`}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </>
  )
}
