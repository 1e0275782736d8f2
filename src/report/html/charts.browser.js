// Draws the charts of the report page with uPlot from the data embedded in it. Runs in the reader's browser, asks for nothing over
// the network, and changes nothing but the elements marked `data-chart`. Without it the page still reads: figures are in the tables.
;(() => {
  const data = JSON.parse(document.getElementById('chart-data').textContent)
  const root = document.documentElement
  const HEIGHT = 240
  const cursor = { sync: { key: 'timeline' }, drag: { x: true, y: false } }

  const { colour, milliseconds, perSecond, count, seconds, share, axis, line, widthOf } = globalThis.chartParts

  // ---- parts of charts

  const timeAxis = () =>
    axis({ values: (_, values) => values.map((value) => `${value} s`), label: 'since the run started', labelSize: 18, size: 30 })
  /** Labels of a logarithmic axis: 1, 2 and 5 of each decade where there is room, else whole decades. */
  const logTicks = (chart, values) => {
    const { min, max } = chart.scales.y
    const shown = max / min < 200 ? [1, 2, 5] : [1]
    return values.map((value) => {
      const digit = value / 10 ** Math.floor(Math.log10(value) + 1e-9)
      return shown.some((step) => Math.abs(digit - step) < 1e-6) ? milliseconds(value) : null
    })
  }

  /** Shades the intervals in which the broker had publishing blocked. */
  const markBlocked = (chart) => {
    for (const [from, to] of data.blockedS) {
      const left = chart.valToPos(from, 'x', true)
      const right = chart.valToPos(to, 'x', true)
      chart.ctx.fillStyle = colour('mark')
      chart.ctx.fillRect(left, chart.bbox.top, Math.max(2, right - left), chart.bbox.height)
    }
  }

  const timeline = (series, more = {}) => ({
    height: HEIGHT,
    cursor,
    scales: { x: { time: false }, ...more.scales },
    axes: [timeAxis(), axis({ size: 70, values: more.ticks })],
    series: [{ label: 'at', value: (_, raw) => seconds(raw) }, ...series],
    hooks: { drawClear: [markBlocked] },
  })

  // ---- the charts by name

  const charts = {
    percentiles: () => {
      const tails = [...new Set(data.curves.flatMap((curve) => curve.points.map(([tail]) => tail)))].sort((a, b) => b - a)
      const columns = data.curves.map((curve) => {
        const byTail = new Map(curve.points)
        return tails.map((tail) => byTail.get(tail) ?? null)
      })
      const names = { delivery: {}, service: { dash: [6, 4] }, completion: { width: 2.5 } }
      return {
        columns: [tails.map((tail) => -Math.log10(tail)), ...columns],
        options: {
          height: 320,
          cursor: { drag: { x: true, y: false } },
          scales: { x: { time: false }, y: { distr: 3 } },
          axes: [
            axis({
              size: 30,
              label: 'share heard within the time on the left',
              labelSize: 18,
              splits: percentileSplits,
              values: (_, values) => values.map(share),
            }),
            axis({ size: 70, values: logTicks }),
          ],
          series: [
            { label: 'share', value: (_, raw) => (raw === null ? '–' : share(raw)) },
            ...data.curves.map(({ name }) => line(name, name, milliseconds, names[name])),
          ],
        },
      }
    },

    rate: () => ({
      columns: [data.atS, data.offeredPerSecond, data.deliveredPerSecond],
      options: timeline([line('offered', 'soft', perSecond, { dash: [6, 4] }), line('delivered', 'delivery', perSecond)], {
        ticks: (_, values) => values.map(perSecond),
        scales: { y: { range: (_, __, max) => [0, Math.max(1, max * 1.05)] } },
      }),
    }),

    latency: () => ({
      columns: [data.atS, data.p50Ms, data.p99Ms, data.maxMs],
      options: timeline(
        [
          line('p50', 'delivery', milliseconds),
          line('p99', 'completion', milliseconds, { dash: [8, 3] }),
          line('max', 'max', milliseconds, { width: 1 }),
        ],
        { ticks: logTicks, scales: { y: { distr: 3 } } },
      ),
    }),

    heat: () => {
      const bounds = data.heat.boundsMs
      const rows = data.heat.cells.filter((_, index) => index % 3 === 1)
      const [lowest, highest] = [Math.min(...rows), Math.max(...rows)]
      const boundBelow = (row) => (row === 0 ? bounds[0] / 1.26 : bounds[row - 1])
      const boundAbove = (row) => bounds[row] ?? bounds[bounds.length - 1] * 1.26
      const range = [boundBelow(lowest), boundAbove(highest)]
      return {
        columns: [data.atS, data.atS.map(() => range[1])],
        options: {
          ...timeline([line('deliveries by latency', 'delivery', () => '', { stroke: 'transparent' })], {
            ticks: logTicks,
            scales: { y: { distr: 3, range: () => range } },
          }),
          legend: { show: false },
          hooks: { drawClear: [(chart) => drawHeat(chart, { boundBelow, boundAbove }), markBlocked] },
        },
      }
    },

    clients: () => ({
      columns: [data.atS, data.ready, data.openedPerSecond, data.disconnected.map((lost) => (lost === 0 ? null : lost))],
      options: timeline(
        [
          line('ready', 'delivery', count, { fill: `rgba(${colour('heat')}, 0.12)` }),
          line('opened', 'service', perSecond, { dash: [6, 4] }),
          line('disconnected', 'fail', count, { width: 0, points: { show: true, size: 7, fill: colour('fail') } }),
        ],
        { ticks: (_, values) => values.map(count), scales: { y: { range: (_, __, max) => [0, Math.max(1, max * 1.05)] } } },
      ),
    }),
  }

  const percentileSplits = (chart) => {
    const { max } = chart.scales.x
    const half = chart.width < 560 ? [] : [Math.log10(2)]
    return [0, ...half, ...Array.from({ length: 12 }, (_, index) => index + 1)].filter((nines) => nines <= max)
  }

  /** One rectangle per column and row, the darker the larger the row's share of its column. */
  const drawHeat = (chart, { boundBelow, boundAbove }) => {
    const { cells } = data.heat
    const end = chart.bbox.left + chart.bbox.width
    const totals = new Map()
    for (let at = 0; at < cells.length; at += 3) totals.set(cells[at], (totals.get(cells[at]) ?? 0) + cells[at + 2])
    for (let at = 0; at < cells.length; at += 3) {
      const [column, row, deliveries] = [cells[at], cells[at + 1], cells[at + 2]]
      const left = chart.valToPos(data.atS[column], 'x', true)
      const right = Math.min(end, chart.valToPos(data.atS[column] + data.columnSeconds, 'x', true))
      const bottom = chart.valToPos(boundBelow(row), 'y', true)
      const top = chart.valToPos(boundAbove(row), 'y', true)
      // The root makes single stragglers visible beside a column of thousands.
      const strength = 0.12 + 0.88 * Math.sqrt(deliveries / totals.get(column))
      chart.ctx.fillStyle = `rgba(${colour('heat')}, ${strength})`
      chart.ctx.fillRect(left, top, Math.max(1, right - left - 0.5), Math.max(1, bottom - top - 0.5))
    }
  }

  // ---- on the page

  const drawn = new Map()

  const draw = (element) => {
    const { columns, options } = charts[element.dataset.chart]()
    drawn.get(element)?.destroy()
    element.replaceChildren()
    drawn.set(element, new uPlot({ ...options, width: widthOf(element) }, columns, element))
  }
  const elements = [...document.querySelectorAll('[data-chart]')]
  const drawAll = () => elements.forEach(draw)

  /** Left and right walk through the columns; the legend below a chart tells the figures there. */
  const walk = (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    const chart = drawn.get(event.currentTarget)
    if (step === undefined || chart === undefined) return
    event.preventDefault()
    const last = chart.data[0].length - 1
    const index = Math.min(last, Math.max(0, (chart.cursor.idx ?? -1) + step))
    chart.setCursor({ left: chart.valToPos(chart.data[0][index], 'x'), top: chart.bbox.height / 4 })
  }

  root.classList.add('scripted')
  drawAll()
  for (const element of elements) element.addEventListener('keydown', walk)
  let resized = 0
  addEventListener('resize', () => {
    cancelAnimationFrame(resized)
    resized = requestAnimationFrame(() => {
      for (const [element, chart] of drawn) chart.setSize({ width: widthOf(element), height: chart.height })
    })
  })
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawAll)
  addEventListener('beforeprint', () => {
    root.classList.add('printing')
    drawAll()
  })
  addEventListener('afterprint', () => {
    root.classList.remove('printing')
    drawAll()
  })
})()
