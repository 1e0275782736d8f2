// The live page: listens to /events and shows what comes. It sends nothing.
;(() => {
  const byId = (id) => document.getElementById(id)
  const MAX_SECONDS = 600
  const seconds = []

  const { milliseconds, perSecond, axis, line, widthOf } = globalThis.chartParts
  const elapsed = (ms) => {
    const whole = Math.floor(ms / 1000)
    return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`
  }

  // ---- charts

  const chartOptions = (series, values, scale) => ({
    height: 220,
    scales: { x: { time: false }, y: scale },
    axes: [
      axis({ values: (_, all) => all.map((value) => `${value} s`), size: 30 }),
      axis({ size: 70, values: (_, all) => all.map(values) }),
    ],
    series: [{ label: 'at', value: (_, raw) => (raw === null ? '–' : `${raw} s`) }, ...series],
  })
  const charts = {
    rate: {
      columns: () => [
        seconds.map((second) => second.atS),
        seconds.map((second) => second.offeredPerSecond),
        seconds.map((second) => second.deliveredPerSecond),
      ],
      options: () =>
        chartOptions([line('offered', 'soft', perSecond, { dash: [6, 4] }), line('delivered', 'delivery', perSecond)], perSecond, {
          range: (_, __, max) => [0, Math.max(1, (max ?? 0) * 1.05)],
        }),
    },
    latency: {
      columns: () => [
        seconds.map((second) => second.atS),
        ...['p50Ms', 'p99Ms', 'maxMs'].map((name) => seconds.map((second) => second[name])),
      ],
      options: () =>
        chartOptions(
          [
            line('p50', 'delivery', milliseconds),
            line('p99', 'completion', milliseconds, { dash: [8, 3] }),
            line('max', 'max', milliseconds, { width: 1 }),
          ],
          milliseconds,
          { range: (_, __, max) => [0, Math.max(1, (max ?? 0) * 1.05)] },
        ),
    },
  }
  const drawn = new Map()
  const draw = (element) => {
    const { columns, options } = charts[element.dataset.chart]
    drawn.get(element)?.destroy()
    element.replaceChildren()
    drawn.set(element, new uPlot({ ...options(), width: widthOf(element) }, columns(), element))
  }
  const elements = [...document.querySelectorAll('[data-chart]')]
  const redraw = () => {
    for (const element of elements) draw(element)
  }
  const update = () => {
    for (const [element, chart] of drawn) chart.setData(charts[element.dataset.chart].columns())
  }

  // ---- figures

  const showRows = (rows) => {
    const body = byId('rows')
    body.replaceChildren(
      ...rows.map(({ label, text, isBad }) => {
        const row = document.createElement('tr')
        const name = document.createElement('th')
        const value = document.createElement('td')
        name.scope = 'row'
        name.textContent = label
        value.textContent = isBad ? `⚠ ${text}` : text
        row.append(name, value)
        return row
      }),
    )
  }
  const showProgress = (progress) => {
    byId('progress').hidden = progress === null
    byId('progress-text').textContent =
      progress === null ? '' : `${progress.done.toLocaleString('en-US')} of ${progress.total.toLocaleString('en-US')} ${progress.of}`
    if (progress !== null) byId('progress').value = progress.total === 0 ? 0 : progress.done / progress.total
  }
  const show = (event) => {
    byId('phase').textContent = event.outcome ?? event.phase
    byId('elapsed').textContent = elapsed(event.elapsedMs)
    if (event.outcome !== null) byId('verdict').className = `verdict ${event.outcome}`
    showRows(event.rows)
    showProgress(event.progress)
    const last = seconds.at(-1)?.atS ?? Number.NEGATIVE_INFINITY
    seconds.push(...event.seconds.filter((second) => second.atS > last))
    seconds.splice(0, seconds.length - MAX_SECONDS)
    update()
  }

  document.documentElement.classList.add('scripted')
  redraw()
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw)
  addEventListener('resize', () => {
    for (const [element, chart] of drawn) chart.setSize({ width: widthOf(element), height: chart.height })
  })
  const source = new EventSource('/events')
  let isOver = false
  source.onmessage = ({ data }) => {
    const event = JSON.parse(data)
    show(event)
    isOver = event.outcome !== null
  }
  source.onerror = () => {
    // The process has gone: after its run that is the end, before it something to tell.
    if (isOver) source.close()
    else byId('elapsed').textContent = '(not reachable at the moment)'
  }
})()
