package render

// The styles within a post's full text.
const (
	codeFonts = `Menlo,Consolas,'Noto Sans Mono',monospace`

	paragraphStyle    = `margin:0 0 16px`
	furtherStyle      = `margin:8px 0`   // of an item of a list, after the first
	aboveStyle        = `margin:0 0 6px` // of a picture above its caption
	headingStyle      = `margin:26px 0 8px;font-size:19px;line-height:1.3;font-weight:700;color:` + ink
	minorStyle        = `margin:22px 0 6px;font-size:17px;line-height:1.4;font-weight:700;color:` + ink
	termStyle         = `margin:0 0 4px;font-weight:700`
	captionStyle      = `margin:0 0 18px;font-family:` + Sans + `;font-size:13px;line-height:1.5;color:` + muted
	dividerStyle      = `margin:24px 0;text-align:center;line-height:1.5;color:` + muted
	listStyle         = `margin:0 0 16px;padding:0 0 0 26px`
	listStyleRTL      = `margin:0 0 16px;padding:0 26px 0 0`
	innerListStyle    = `margin:6px 0 0;padding:0 0 0 24px`
	innerListStyleRTL = `margin:6px 0 0;padding:0 24px 0 0`
	itemStyle         = `margin:0 0 6px`
	quoteStyle        = `margin:0 0 16px;padding:2px 0 0 16px;border-left:3px solid ` + rule
	quoteStyleRTL     = `margin:0 0 16px;padding:2px 16px 0 0;border-right:3px solid ` + rule
	setInStyle        = `margin:0 0 12px 24px`
	setInStyleRTL     = `margin:0 24px 12px 0`
	codeTableStyle    = `margin:0 0 18px;table-layout:fixed;background-color:` + panel
	codeCellStyle     = `padding:12px 14px;text-align:left;font-size:13px;line-height:1.5;color:` + ink
	codeStyle         = `font-family:` + codeFonts + `;font-size:13px`
	inlineCode        = `font-family:` + codeFonts + `;font-size:15px`
	tableStyle        = `margin:0 0 18px;border-collapse:collapse;font-size:15px;line-height:1.45`
	cellStyle         = `padding:6px 8px;border-bottom:1px solid ` + rule + `;vertical-align:top`
	anchorStyle       = `color:` + accent
	upStyle           = `font-size:12px;line-height:1`
	smallStyle        = `font-size:15px`
	markStyle         = `background-color:` + highlight + `;color:` + ink
	uprightStyle      = `font-style:normal;font-weight:700` // emphasis where a script has no italics
	wordsStyle        = `color:` + muted
	pictureStyle      = `display:block;max-width:100%;height:auto;border:0`
	iconStyle         = `max-width:100%;border:0`
)
