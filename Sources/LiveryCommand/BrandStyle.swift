/// How the page of a brand looks; it follows what the reader prefers, light or dark.
enum BrandStyle {
  static let sheet = """
    :root{color-scheme:light dark;--page:#f5f6f8;--card:#fff;--ink:#15181e;--soft:#596070;--line:#e1e4ea;--pass:#0b7a43;
    --passed:#e2f5ea;--fail:#b3261e;--failed:#fdebe9;--warn:#8a5500;--warned:#fdf2dd;--shell:#20232a;--one:#fff;--two:#e3e5e9}
    @media(prefers-color-scheme:dark){:root{--page:#111317;--card:#1a1d23;--ink:#eceef2;--soft:#a0a7b4;--line:#2b2f38;
    --pass:#5fd39a;--passed:#12301f;--fail:#ff8a80;--failed:#3a1815;--warn:#f3bd63;--warned:#35260b;--shell:#3a3f4a;
    --one:#2a2e36;--two:#22252c}}
    *{box-sizing:border-box}
    body{margin:0;background:var(--page);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;
    -webkit-text-size-adjust:100%}
    header,main,footer{max-width:1080px;margin:0 auto;padding:0 20px}
    header{max-width:none;padding:0}
    .strip{display:flex;height:14px}
    .strip i{flex:1}
    .title{max-width:1080px;margin:0 auto;padding:36px 20px 8px;display:flex;gap:20px;align-items:center}
    .mark{width:148px;height:88px;padding:12px 14px;border-radius:18px;border:1px solid var(--line);flex:none}
    h1{margin:0;font-size:clamp(28px,6vw,44px);line-height:1.1;letter-spacing:-.02em;overflow-wrap:anywhere}
    .title p{margin:8px 0 0;color:var(--soft)}
    .dot{opacity:.5}
    section{margin:44px 0 0}
    h2{margin:0 0 16px;font-size:22px;letter-spacing:-.01em}
    .note{margin:-8px 0 16px;color:var(--soft);max-width:70ch}
    code{font:13px/1.5 ui-monospace,"SF Mono",Menlo,Consolas,monospace;overflow-wrap:anywhere}
    figure{margin:0}
    .chip{display:inline-block;padding:1px 9px;border-radius:99px;background:var(--line);color:var(--soft);font-size:13px;
    text-decoration:none;white-space:nowrap}
    .chip.pass{background:var(--passed);color:var(--pass)}
    .chip.fail{background:var(--failed);color:var(--fail)}
    .chip.warning{background:var(--warned);color:var(--warn)}
    .fit{width:100%;height:100%;background-repeat:no-repeat;background-position:center;background-size:contain}
    .checks{background:repeating-conic-gradient(var(--two) 0 25%,var(--one) 0 50%) 0 0/16px 16px}
    .swatches{display:grid;grid-template-columns:repeat(auto-fill,minmax(158px,1fr));gap:14px}
    .swatch,.gallery figure{background:var(--card);border:1px solid var(--line);border-radius:14px;overflow:hidden}
    .swatch .checks>div{height:104px;display:flex;align-items:flex-end;padding:8px 12px;font-size:26px;font-weight:650}
    figcaption b{display:block;overflow-wrap:anywhere}
    .swatch figcaption{padding:10px 12px 12px}
    .swatch code{display:block;color:var(--soft);font-size:12px;white-space:nowrap}
    table{width:100%;border-collapse:collapse;background:var(--card);border:1px solid var(--line);border-radius:14px;
    border-spacing:0;border-collapse:separate;overflow:hidden}
    th,td{padding:10px 14px;text-align:left;border-top:1px solid var(--line);vertical-align:middle}
    thead th{border-top:0;font-size:13px;font-weight:600;color:var(--soft)}
    .sample{display:inline-block;padding:8px 14px;border-radius:9px;font-weight:600;border:1px solid var(--line)}
    .ratio{font-size:20px;font-weight:650;font-variant-numeric:tabular-nums}
    .level{display:inline-block;margin:2px 6px 2px 0;padding:1px 9px;border-radius:99px;font-size:13px;font-weight:600;
    white-space:nowrap}
    .level.pass{background:var(--passed);color:var(--pass)}
    .level.fail{background:var(--failed);color:var(--fail)}
    .advice{display:block;color:var(--soft);font-size:14px}
    .advice i{display:inline-block;width:12px;height:12px;margin:0 4px -1px 2px;border-radius:3px;border:1px solid var(--line)}
    .findings{list-style:none;margin:0;padding:0;background:var(--card);border:1px solid var(--line);border-radius:14px}
    .findings li{display:flex;gap:12px;align-items:baseline;padding:10px 14px;border-top:1px solid var(--line)}
    .findings li:first-child{border-top:0}
    .findings .chip{min-width:76px;text-align:center;flex:none}
    .findings span:last-child{overflow-wrap:anywhere;min-width:0}
    .devices{display:flex;flex-wrap:wrap;gap:32px 28px;align-items:flex-end;justify-content:center}
    .device{max-width:100%}
    .device figcaption{margin-top:10px;text-align:center;color:var(--soft);font-size:14px}
    .shell{background:var(--shell);padding:10px;border-radius:34px;box-shadow:0 18px 40px -18px rgb(0 0 0/.45)}
    .screen{container-type:inline-size;position:relative;overflow:hidden;border-radius:25px;display:flex;flex-direction:column}
    .phone .shell{width:232px}
    .phone .screen{aspect-ratio:390/844}
    .tablet .shell{width:400px;max-width:100%;border-radius:24px;padding:14px}
    .tablet .screen{aspect-ratio:4/3;border-radius:12px}
    .tv .shell{width:680px;max-width:100%;border-radius:10px;padding:8px 8px 12px}
    .tv .screen{aspect-ratio:16/9;border-radius:4px}
    .fill{position:absolute;inset:0}
    .bar{position:relative;display:flex;justify-content:space-between;align-items:center;gap:8px;
    padding:clamp(10px,3cqw,18px) clamp(12px,4cqw,22px);font-size:clamp(11px,3.4cqw,15px)}
    .phone .bar{padding-top:30px}
    .content{position:relative;flex:1;min-height:0;display:flex;flex-direction:column;align-items:center;justify-content:center;
    gap:4px;padding:5cqw;text-align:center;font-size:clamp(10px,3cqw,15px)}
    .logo{width:clamp(90px,34cqw,190px);height:clamp(40px,15cqw,84px);margin-bottom:3cqw;flex:0 1 auto}
    .heading{font-size:clamp(16px,6cqw,26px);line-height:1.2}
    .card{display:flex;flex-direction:column;margin-top:4cqw;padding:10px 26px;border-radius:12px;line-height:1.3}
    .phone .card{width:86%}
    .gallery{display:grid;grid-template-columns:repeat(auto-fill,minmax(210px,1fr));gap:14px}
    .frame{height:150px;padding:12px;display:flex;align-items:center;justify-content:center}
    .none{padding:2px 12px;border-radius:99px;background:var(--card);color:var(--soft);border:1px dashed var(--soft)}
    .gallery figcaption{padding:10px 12px 12px}
    .gallery .chip{margin:2px 6px 2px 0}
    .gallery small{display:block;color:var(--soft);font-size:13px;overflow-wrap:anywhere}
    .plain tr:first-child>*{border-top:0}
    .plain th{width:34%;font-weight:600}
    .plain td{overflow-wrap:anywhere}
    footer{padding:48px 20px 40px;color:var(--soft);font-size:14px}
    @media(max-width:640px){.pairs thead{display:none}.pairs tr{display:grid;grid-template-columns:auto 1fr auto;gap:2px 12px;
    align-items:center;padding:12px 14px;border-top:1px solid var(--line)}.pairs tbody tr:first-child{border-top:0}
    .pairs td{padding:0;border:0}.pairs td:nth-child(n+4){grid-column:1/-1;padding-top:4px}
    .pairs td:nth-child(4)::before{content:"Text "}.pairs td:nth-child(5)::before{content:"Large text "}
    .pairs td:nth-child(n+4)::before{color:var(--soft);font-size:13px;display:inline-block;width:84px}
    .swatches{grid-template-columns:repeat(2,1fr)}.title{align-items:flex-start;flex-direction:column;gap:14px}}

    """
}
