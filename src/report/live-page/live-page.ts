/** The live page: what runs now, as it happens. It only shows; there is nothing on it that changes a run. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Plan } from '../../config/plan.ts'
import { settingsTable } from '../../config/settings.ts'
import { chartLibrary, liveScript, pageStyle } from '../html/assets.ts'
import { html, trusted } from '../html/markup.ts'

/** `version` is fanfare's own. */
export const livePage = (plan: Plan, version: string): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; img-src data:">
<title>fanfare ${plan.runId}: live</title>
<link rel="icon" href="data:,">
<style>${trusted(pageStyle())}</style>
</head>
<body>
<main>
<p class="origin">fanfare · run <b>${plan.runId}</b> · ${settingsTable.wsAddr.kind.redact(plan.settings.wsAddr)}</p>
<section class="verdict running" id="verdict" aria-live="polite">
<h1><span class="word" id="phase">…</span> <span id="elapsed"></span></h1>
<progress id="progress" max="1" value="0" hidden></progress> <span class="soft" id="progress-text"></span>
</section>
<p class="without-script absent">This page needs JavaScript; the same figures are at <a href="/metrics">/metrics</a>.</p>
<div class="scroll"><table aria-label="Figures now"><tbody id="rows"></tbody></table></div>
<figure class="needs-script"><figcaption><b>Offered and delivered</b>: deliveries a second</figcaption><div class="chart" data-chart="rate" role="img" aria-label="Offered and delivered per second"></div></figure>
<figure class="needs-script"><figcaption><b>Delivery latency</b>: p50, p99 and the slowest of each second</figcaption><div class="chart" data-chart="latency" role="img" aria-label="Delivery latency per second"></div></figure>
<footer>fanfare ${version} · <a href="/metrics">/metrics</a></footer>
</main>
<script>${trusted(chartLibrary())}</script>
<script>${trusted(liveScript())}</script>
</body>
</html>
`.text

/** A page to serve that is always the same. */
export const pageOf =
  (text: string) =>
  (_request: IncomingMessage, response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' })
    response.end(text)
  }
