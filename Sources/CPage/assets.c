// What is sent to browsers as it is.
#include "cpage.h"

const unsigned char lvp_style[] = {
#embed "style.css"
};
const size_t lvp_style_size = sizeof lvp_style;

const unsigned char lvp_script[] = {
#embed "script.js"
};
const size_t lvp_script_size = sizeof lvp_script;
