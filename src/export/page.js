/* SPDX-License-Identifier: MIT
 * What a page can do beyond what it shows without scripts: values of pictures under the pointer or by arrow keys, tables to sort and to filter. */
'use strict';
(() => {
    const make = (tag, set, into) => into.appendChild(Object.assign(document.createElement(tag), set));
    const numbers = text => text.split(' ').map(Number);

    /* pictures: stops are marks, points of lines, and what has a title */

    /* Coordinates have tenths of a pixel, so no digit that these do not know, and nothing beyond the axis. */
    const value = ([low, high, logarithmic], [from, to], pixel) => {
        const part = p => (p - from) / (to - from), at = p => logarithmic ? low * Math.pow(high / low, part(p)) : low + part(p) * (high - low);
        const digit = Math.ceil(Math.log10(Math.abs(at(pixel + .05) - at(pixel - .05)))), unit = Math.pow(10, digit);
        return Math.min(Math.max(Math.round(at(pixel) / unit) * unit, low), high).toFixed(Math.max(0, -digit)).replace('-', '\u2212');
    };
    const named = (title, v) => title.replace(/(?:, ([^,]+))?$/, (_, unit) => ` ${v}${unit ? ' ' + unit : ''}`);
    const pathPoints = path => {
        const found = [];
        for (const [, letter, a, b] of path.getAttribute('d').matchAll(/([MLHV])(-?[\d.]+)(?: (-?[\d.]+))?/g))
            if (letter === 'V')
                found[found.length - 1][1] = +a;
            else
                found.push([+a, letter === 'H' ? found[found.length - 1][1] : +b]);
        return found;
    };
    const stopsOf = svg => {
        const figure = svg.parentElement, { x, y, xname, yname, frame, lines } = figure.dataset, stops = [];
        if (frame) {
            const [xs, ys, f, names] = [numbers(x), numbers(y), numbers(frame), lines.split('\n')];
            const add = (element, px, py) => {
                if (px < f[0] - 1 || px > f[1] + 1 || py > f[2] + 1 || py < f[3] - 1) return;
                const number = /\bc(\d)/.exec(element.getAttribute('class'))[1], bar = element.previousElementSibling;
                const ends = bar && bar.matches('path.bar') && /M\S+ (\S+)V([-\d.]+)/.exec(bar.getAttribute('d'));
                const [is, low, high] = [py, ...(ends ? ends.slice(1) : [])].map(v => value(ys, f.slice(2), +v));
                const shown = xname === 'percentile' ? Math.round : v => v.replace(/\.0+$/, ''); /* two percentiles are drawn beside each other */
                const at = shown(value(xs, f, px));
                const name = [names[number] !== yname && names[number], element.matches('.hollow') && 'disturbed', element.matches('.trend') && 'trend', element.matches('.fit') && 'fit'].filter(Boolean).join(', ');
                const between = ends ? ` (${low} to ${high})` : '';
                stops.push({ px, py, w: 7, h: 7, says: `${name ? name + ': ' : ''}${named(yname, is)}${between}, ${named(xname, at)}` });
            };
            svg.querySelectorAll('circle[class^=c],rect[class^=c]:not(.cell)').forEach(m => m.matches('circle')
                ? add(m, +m.getAttribute('cx'), +m.getAttribute('cy')) : add(m, +m.getAttribute('x') + 3.5, +m.getAttribute('y') + 3.5));
            svg.querySelectorAll('path.line').forEach(line => pathPoints(line).forEach(p => add(line, ...p)));
            stops.sort((a, b) => a.px - b.px);
        }
        for (const title of svg.querySelectorAll(':scope * > title')) {
            const of = title.parentElement, { x: left, y: top, width: w, height: h } = of.getBBox();
            stops.push({ px: left + w / 2, py: top + h / 2, w, h, of, says: title.textContent });
        }
        return stops;
    };
    const live = svg => {
        const figure = svg.parentElement, says = make('output', { className: 'says' }, figure);
        let stops, now = -1, ring;
        const show = at => {
            if (!ring) {
                ring = svg.appendChild(document.createElementNS(svg.namespaceURI, 'rect'));
                ring.setAttribute('class', 'here');
            }
            const s = stops[now = at];
            const place = { x: s.px - s.w / 2 - 2, y: s.py - s.h / 2 - 2, width: s.w + 4, height: s.h + 4 };
            Object.entries(place).forEach(pair => ring.setAttribute(...pair));
            says.textContent = s.says;
        };
        svg.addEventListener('pointermove', event => {
            stops ??= stopsOf(svg);
            const p = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
            let nearest = -1, least = 900;
            stops.forEach((s, i) => {
                const d = s.of ? (s.of.contains(event.target) ? 0 : Infinity) : (s.px - p.x) ** 2 + (s.py - p.y) ** 2;
                if (d < least) [nearest, least] = [i, d];
            });
            if (nearest >= 0)
                show(nearest);
        });
        figure.addEventListener('keydown', event => {
            const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
            stops ??= stopsOf(svg);
            if (!step || !stops.length || event.altKey || event.ctrlKey || event.metaKey) return;
            event.preventDefault();
            show(Math.min(Math.max(now + step, 0), stops.length - 1));
            figure.scrollLeft = stops[now].px / svg.viewBox.baseVal.width * svg.clientWidth - figure.clientWidth / 2;
        });
    };
    document.querySelectorAll('figure>svg').forEach(live);

    /* tables */

    const units = { ps: 1e-12, ns: 1e-9, 'µs': 1e-6, ms: 1e-3, min: 60, h: 3600, k: 1e3, kB: 1e3, MB: 1e6, GB: 1e9, KiB: 1024, MiB: 1048576 };
    const key = cell => {
        const text = cell.textContent.trim().replace(/[\u2009\u202f]/g, '').replace('\u2212', '-').replace(/ \(.*$/, ''), found = /^[≤~<] ?(?=\d)|^/.exec(text);
        const number = parseFloat(text.slice(found[0].length)), unit = /([^\s\d]+)$/.exec(text);
        return isNaN(number) ? text || null : number * (unit && units[unit[1]] || 1);
    };
    const before = (a, b) => a === null || b === null ? (a === null) - (b === null)
        : typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b), undefined, { numeric: true });
    for (const table of document.querySelectorAll('table.list')) {
        const body = table.tBodies[0], rows = [...body.rows];
        if (rows.length < 2) continue;
        [...table.tHead.rows[0].cells].forEach((head, column) => {
            const button = make('button', { type: 'button', textContent: head.textContent }, (head.textContent = '', head));
            button.addEventListener('click', () => {
                const down = head.ariaSort === 'ascending' ? -1 : 1;
                [...table.tHead.rows[0].cells].forEach(other => other.removeAttribute('aria-sort'));
                head.ariaSort = down < 0 ? 'descending' : 'ascending';
                rows.map(row => [key(row.cells[column]), row])
                    .sort(([a], [b]) => (a === null || b === null ? 1 : down) * before(a, b)).forEach(pair => body.append(pair[1]));
            });
        });
        if (rows.length < 8) continue;
        const line = document.createElement('p');
        (table.closest('.wide') || table).before(line);
        const label = make('label', { textContent: 'Filter rows: ' }, line), find = make('input', { type: 'search' }, label);
        const count = make('output', {}, line);
        find.addEventListener('input', () => {
            const words = find.value.toLowerCase().split(/\s+/);
            rows.forEach(row => row.hidden = !words.every(word => row.textContent.toLowerCase().includes(word)));
            count.textContent = ` ${rows.filter(row => !row.hidden).length} of ${rows.length}`;
        });
    }
})();
