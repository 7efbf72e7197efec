/* SPDX-License-Identifier: MIT
 * What the pages can do beyond what they show without scripts: find in the index, and charts to zoom where uPlot lies beside them. */
'use strict';
(() => {
    const find = document.getElementById('find');
    if (find) {
        const cards = [...document.querySelectorAll('.card')].map(card => [card, null]);
        find.parentElement.hidden = false;
        find.addEventListener('input', () => {
            const words = find.value.toLowerCase().split(/\s+/);
            for (const pair of cards) {
                pair[1] ??= pair[0].textContent.toLowerCase();
                pair[0].hidden = !words.every(word => pair[1].includes(word));
            }
        });
    }
    if (!window.uPlot)
        return;

    const style = getComputedStyle(document.documentElement);
    const dark = matchMedia('(prefers-color-scheme:dark)').matches;
    const colour = name => style.getPropertyValue('--' + name).trim();
    const ink = dark ? '#e8eaed' : '#222', blue = dark ? '#6ca6d9' : '#2b6ca3', brown = dark ? '#f0a58a' : '#8f2f0b';
    const commits = window.tareCommits || {};
    const hash = position => (commits[position] || [position])[0];

    /* Stretches in which a change lies, below the lines; levels above them. */
    const places = data => ({
        drawClear: u => {
            u.ctx.save();
            for (const [, from, to, state] of data.changes) {
                const left = u.valToPos(from - .5, 'x', true), right = u.valToPos(to + .5, 'x', true);
                u.ctx.globalAlpha = state === 'settled' ? .08 : .16;
                u.ctx.fillStyle = colour(state === 'settled' ? 'soft' : state);
                u.ctx.fillRect(Math.max(left, u.bbox.left), u.bbox.top,
                    Math.max(Math.min(right, u.bbox.left + u.bbox.width) - Math.max(left, u.bbox.left), 0), u.bbox.height);
            }
            u.ctx.restore();
        },
        draw: u => {
            u.ctx.save();
            u.ctx.beginPath();
            u.ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
            u.ctx.clip();
            u.ctx.beginPath();
            u.ctx.strokeStyle = brown;
            u.ctx.lineWidth = 2 * devicePixelRatio;
            for (const [from, to, level] of data.levels) {
                const y = u.valToPos(level * data.step, 'y', true), beside = from === to ? 0.25 : 0;
                u.ctx.moveTo(u.valToPos(from - beside, 'x', true), y);
                u.ctx.lineTo(u.valToPos(to + beside, 'x', true), y);
            }
            u.ctx.stroke();
            u.ctx.restore();
        },
    });

    const draw = (figure, data) => {
        const scaled = values => values.map(value => value === null ? null : value * data.step);
        const unit = figure.dataset.unit;
        const digits = Math.min(Math.max(Math.ceil(-Math.log10(data.step)) - 1, 0), 12);
        const shown = value => value == null ? '' : value.toFixed(digits) + (unit ? ' ' + unit : '');
        const axis = {stroke: ink, grid: {stroke: colour('line'), width: 1}, ticks: {stroke: colour('line')}};
        const said = position => {
            const c = commits[position];
            return c ? c.filter(Boolean).join(' · ') : position == null ? 'drag to zoom, double click to see all' : '' + position;
        };
        figure.classList.add('live');
        const plot = new uPlot({
            width: figure.clientWidth, height: 320,
            scales: {x: {time: false}},
            axes: [{...axis, values: (u, at) => at.map(x => Number.isInteger(x) ? hash(x) : ''), space: 80}, {...axis, size: 70, label: unit || undefined, labelSize: 24}],
            series: [{label: 'Commit', value: (u, x) => said(x)},
                {label: 'Result', stroke: blue, width: 1.5, points: {size: 5, fill: blue}, value: (u, y) => shown(y)},
                {label: 'low', stroke: 'transparent', points: {show: false}, value: (u, y) => shown(y)},
                {label: 'high', stroke: 'transparent', points: {show: false}, value: (u, y) => shown(y)}],
            bands: [{series: [3, 2], fill: blue + '2e'}],
            hooks: {drawClear: [places(data).drawClear], draw: [places(data).draw]},
        }, [data.x, scaled(data.y), scaled(data.low), scaled(data.high)], figure);
        plot.ctx.canvas.setAttribute('role', 'img');
        plot.ctx.canvas.setAttribute('aria-label', figure.querySelector('svg').getAttribute('aria-label'));
        addEventListener('resize', () => plot.setSize({width: figure.clientWidth, height: 320}));
    };

    const data = figure => figure.nextElementSibling;
    const near = new IntersectionObserver(entries => {
        for (const entry of entries.filter(entry => entry.isIntersecting)) {
            near.unobserve(entry.target);
            draw(entry.target, JSON.parse(data(entry.target).textContent));
        }
    }, {rootMargin: '400px'});
    for (const figure of document.querySelectorAll('figure'))
        if (data(figure) && data(figure).matches('script.data'))
            near.observe(figure);
})();
