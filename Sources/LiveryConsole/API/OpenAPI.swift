// Made by tools/openapi of docs/console-api.openapi.json.

/// What the console tells of its API.
enum OpenAPI {
  static let version = "c0218386bc6225a7"
  // swift-format-ignore
  static let text = #"""
    {"openapi":"3.1.0","info":{"title":"Livery console","version":"1","license":{"name":"MIT","identifie\#
    r":"MIT"},"description":"Everything that a fleet's console knows and does: docs/console.md."},"serve\#
    rs":[{"url":"/api/v1"}],"security":[{"token":[]},{"session":[]}],"paths":{"/openapi.json":{"get":{"o\#
    perationId":"describe","summary":"This description.","responses":{"200":{"description":"It.","conten\#
    t":{"application/json":{"schema":{"type":"object"}}}},"400":{"$ref":"#/components/responses/400"},"4\#
    01":{"$ref":"#/components/responses/401"},"403":{"$ref":"#/components/responses/403"},"404":{"$ref":\#
    "#/components/responses/404"},"405":{"$ref":"#/components/responses/405"},"409":{"$ref":"#/component\#
    s/responses/409"},"411":{"$ref":"#/components/responses/411"},"413":{"$ref":"#/components/responses/\#
    413"},"414":{"$ref":"#/components/responses/414"},"421":{"$ref":"#/components/responses/421"},"422":\#
    {"$ref":"#/components/responses/422"},"429":{"$ref":"#/components/responses/429"},"431":{"$ref":"#/c\#
    omponents/responses/431"},"503":{"$ref":"#/components/responses/503"}},"security":[]}},"/session":{"\#
    get":{"operationId":"getSession","summary":"Who is signed in.","responses":{"200":{"description":"So\#
    mebody is.","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Session"}}}},"400"\#
    :{"$ref":"#/components/responses/400"},"401":{"$ref":"#/components/responses/401"},"403":{"$ref":"#/\#
    components/responses/403"},"404":{"$ref":"#/components/responses/404"},"405":{"$ref":"#/components/r\#
    esponses/405"},"409":{"$ref":"#/components/responses/409"},"411":{"$ref":"#/components/responses/411\#
    "},"413":{"$ref":"#/components/responses/413"},"414":{"$ref":"#/components/responses/414"},"421":{"$\#
    ref":"#/components/responses/421"},"422":{"$ref":"#/components/responses/422"},"429":{"$ref":"#/comp\#
    onents/responses/429"},"431":{"$ref":"#/components/responses/431"},"503":{"$ref":"#/components/respo\#
    nses/503"}}},"post":{"operationId":"signIn","summary":"Sign in, for a session by a cookie.","respons\#
    es":{"201":{"description":"Signed in.","content":{"application/json":{"schema":{"$ref":"#/components\#
    /schemas/Session"}}}},"400":{"$ref":"#/components/responses/400"},"401":{"$ref":"#/components/respon\#
    ses/401"},"403":{"$ref":"#/components/responses/403"},"404":{"$ref":"#/components/responses/404"},"4\#
    05":{"$ref":"#/components/responses/405"},"409":{"$ref":"#/components/responses/409"},"411":{"$ref":\#
    "#/components/responses/411"},"413":{"$ref":"#/components/responses/413"},"414":{"$ref":"#/component\#
    s/responses/414"},"421":{"$ref":"#/components/responses/421"},"422":{"$ref":"#/components/responses/\#
    422"},"429":{"$ref":"#/components/responses/429"},"431":{"$ref":"#/components/responses/431"},"503":\#
    {"$ref":"#/components/responses/503"}},"requestBody":{"required":true,"content":{"application/json":\#
    {"schema":{"type":"object","properties":{"name":{"type":"string"},"password":{"type":"string"}},"req\#
    uired":["name","password"],"additionalProperties":false}}}},"security":[]},"delete":{"operationId":"\#
    signOut","summary":"Sign out of a session.","responses":{"204":{"description":"Done."},"400":{"$ref"\#
    :"#/components/responses/400"},"401":{"$ref":"#/components/responses/401"},"403":{"$ref":"#/componen\#
    ts/responses/403"},"404":{"$ref":"#/components/responses/404"},"405":{"$ref":"#/components/responses\#
    /405"},"409":{"$ref":"#/components/responses/409"},"411":{"$ref":"#/components/responses/411"},"413"\#
    :{"$ref":"#/components/responses/413"},"414":{"$ref":"#/components/responses/414"},"421":{"$ref":"#/\#
    components/responses/421"},"422":{"$ref":"#/components/responses/422"},"429":{"$ref":"#/components/r\#
    esponses/429"},"431":{"$ref":"#/components/responses/431"},"503":{"$ref":"#/components/responses/503\#
    "}}}},"/status":{"get":{"operationId":"getStatus","summary":"How the fleet is.","responses":{"200":{\#
    "description":"It.","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Status"}}}\#
    },"400":{"$ref":"#/components/responses/400"},"401":{"$ref":"#/components/responses/401"},"403":{"$r\#
    ef":"#/components/responses/403"},"404":{"$ref":"#/components/responses/404"},"405":{"$ref":"#/compo\#
    nents/responses/405"},"409":{"$ref":"#/components/responses/409"},"411":{"$ref":"#/components/respon\#
    ses/411"},"413":{"$ref":"#/components/responses/413"},"414":{"$ref":"#/components/responses/414"},"4\#
    21":{"$ref":"#/components/responses/421"},"422":{"$ref":"#/components/responses/422"},"429":{"$ref":\#
    "#/components/responses/429"},"431":{"$ref":"#/components/responses/431"},"503":{"$ref":"#/component\#
    s/responses/503"}}}},"/devices":{"get":{"operationId":"listDevices","summary":"Devices, by name.","r\#
    esponses":{"200":{"description":"A page of them.","content":{"application/json":{"schema":{"type":"o\#
    bject","properties":{"items":{"type":"array","items":{"$ref":"#/components/schemas/DeviceLine"}},"to\#
    tal":{"type":"integer","minimum":0}},"required":["items","total"]}}}},"400":{"$ref":"#/components/re\#
    sponses/400"},"401":{"$ref":"#/components/responses/401"},"403":{"$ref":"#/components/responses/403"\#
    },"404":{"$ref":"#/components/responses/404"},"405":{"$ref":"#/components/responses/405"},"409":{"$r\#
    ef":"#/components/responses/409"},"411":{"$ref":"#/components/responses/411"},"413":{"$ref":"#/compo\#
    nents/responses/413"},"414":{"$ref":"#/components/responses/414"},"421":{"$ref":"#/components/respon\#
    ses/421"},"422":{"$ref":"#/components/responses/422"},"429":{"$ref":"#/components/responses/429"},"4\#
    31":{"$ref":"#/components/responses/431"},"503":{"$ref":"#/components/responses/503"}},"parameters":\#
    [{"name":"query","in":"query","schema":{"type":"string","maxLength":128},"description":"A part of a \#
    name or id."},{"name":"group","in":"query","schema":{"type":"string"},"description":"Only of this gr\#
    oup."},{"name":"state","in":"query","schema":{"$ref":"#/components/schemas/State"},"description":"On\#
    ly in this state."},{"name":"schema","in":"query","schema":{"type":"integer","minimum":0,"maximum":5\#
    62949953421312},"description":"Only with this version of the schema."},{"name":"offset","in":"query"\#
    ,"schema":{"type":"integer","minimum":0,"maximum":1000000000},"description":"How many to pass over."\#
    },{"name":"limit","in":"query","schema":{"type":"integer","minimum":1,"maximum":1000},"description":\#
    "How many; 100 without it."}]}},"/devices/{id}":{"parameters":[{"name":"id","in":"path","required":t\#
    rue,"schema":{"type":"string","minLength":1},"description":"The device's id."}],"get":{"operationId"\#
    :"getDevice","summary":"One device: what it has, and what decides it.","responses":{"200":{"descript\#
    ion":"It.","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Device"}}}},"400":{\#
    "$ref":"#/components/responses/400"},"401":{"$ref":"#/components/responses/401"},"403":{"$ref":"#/co\#
    mponents/responses/403"},"404":{"$ref":"#/components/responses/404"},"405":{"$ref":"#/components/res\#
    ponses/405"},"409":{"$ref":"#/components/responses/409"},"411":{"$ref":"#/components/responses/411"}\#
    ,"413":{"$ref":"#/components/responses/413"},"414":{"$ref":"#/components/responses/414"},"421":{"$re\#
    f":"#/components/responses/421"},"422":{"$ref":"#/components/responses/422"},"429":{"$ref":"#/compon\#
    ents/responses/429"},"431":{"$ref":"#/components/responses/431"},"503":{"$ref":"#/components/respons\#
    es/503"}}},"patch":{"operationId":"changeDevice","summary":"Name it, or put it into groups.","respon\#
    ses":{"200":{"description":"It.","content":{"application/json":{"schema":{"$ref":"#/components/schem\#
    as/Device"}}}},"400":{"$ref":"#/components/responses/400"},"401":{"$ref":"#/components/responses/401\#
    "},"403":{"$ref":"#/components/responses/403"},"404":{"$ref":"#/components/responses/404"},"405":{"$\#
    ref":"#/components/responses/405"},"409":{"$ref":"#/components/responses/409"},"411":{"$ref":"#/comp\#
    onents/responses/411"},"413":{"$ref":"#/components/responses/413"},"414":{"$ref":"#/components/respo\#
    nses/414"},"421":{"$ref":"#/components/responses/421"},"422":{"$ref":"#/components/responses/422"},"\#
    429":{"$ref":"#/components/responses/429"},"431":{"$ref":"#/components/responses/431"},"503":{"$ref"\#
    :"#/components/responses/503"}},"requestBody":{"required":true,"content":{"application/json":{"schem\#
    a":{"type":"object","properties":{"name":{"type":"string","maxLength":64},"groups":{"type":"array","\#
    items":{"type":"string"},"maxItems":16}},"required":[],"additionalProperties":false}}}}},"delete":{"\#
    operationId":"removeDevice","summary":"Refuse its key from now on.","responses":{"204":{"description\#
    ":"Done."},"400":{"$ref":"#/components/responses/400"},"401":{"$ref":"#/components/responses/401"},"\#
    403":{"$ref":"#/components/responses/403"},"404":{"$ref":"#/components/responses/404"},"405":{"$ref"\#
    :"#/components/responses/405"},"409":{"$ref":"#/components/responses/409"},"411":{"$ref":"#/componen\#
    ts/responses/411"},"413":{"$ref":"#/components/responses/413"},"414":{"$ref":"#/components/responses\#
    /414"},"421":{"$ref":"#/components/responses/421"},"422":{"$ref":"#/components/responses/422"},"429"\#
    :{"$ref":"#/components/responses/429"},"431":{"$ref":"#/components/responses/431"},"503":{"$ref":"#/\#
    components/responses/503"}}}},"/groups":{"get":{"operationId":"listGroups","summary":"Groups, the we\#
    akest first.","responses":{"200":{"description":"All of them.","content":{"application/json":{"schem\#
    a":{"type":"object","properties":{"items":{"type":"array","items":{"$ref":"#/components/schemas/Grou\#
    p"}},"total":{"type":"integer","minimum":0}},"required":["items","total"]}}}},"400":{"$ref":"#/compo\#
    nents/responses/400"},"401":{"$ref":"#/components/responses/401"},"403":{"$ref":"#/components/respon\#
    ses/403"},"404":{"$ref":"#/components/responses/404"},"405":{"$ref":"#/components/responses/405"},"4\#
    09":{"$ref":"#/components/responses/409"},"411":{"$ref":"#/components/responses/411"},"413":{"$ref":\#
    "#/components/responses/413"},"414":{"$ref":"#/components/responses/414"},"421":{"$ref":"#/component\#
    s/responses/421"},"422":{"$ref":"#/components/responses/422"},"429":{"$ref":"#/components/responses/\#
    429"},"431":{"$ref":"#/components/responses/431"},"503":{"$ref":"#/components/responses/503"}}},"pos\#
    t":{"operationId":"addGroup","summary":"Add a group.","responses":{"201":{"description":"Added.","co\#
    ntent":{"application/json":{"schema":{"$ref":"#/components/schemas/Group"}}}},"400":{"$ref":"#/compo\#
    nents/responses/400"},"401":{"$ref":"#/components/responses/401"},"403":{"$ref":"#/components/respon\#
    ses/403"},"404":{"$ref":"#/components/responses/404"},"405":{"$ref":"#/components/responses/405"},"4\#
    09":{"$ref":"#/components/responses/409"},"411":{"$ref":"#/components/responses/411"},"413":{"$ref":\#
    "#/components/responses/413"},"414":{"$ref":"#/components/responses/414"},"421":{"$ref":"#/component\#
    s/responses/421"},"422":{"$ref":"#/components/responses/422"},"429":{"$ref":"#/components/responses/\#
    429"},"431":{"$ref":"#/components/responses/431"},"503":{"$ref":"#/components/responses/503"}},"requ\#
    estBody":{"required":true,"content":{"application/json":{"schema":{"type":"object","properties":{"na\#
    me":{"type":"string","pattern":"^[a-z0-9][a-z0-9_-]{0,31}$"}},"required":["name"],"additionalPropert\#
    ies":false}}}}}},"/groups/{name}":{"parameters":[{"name":"name","in":"path","required":true,"schema"\#
    :{"type":"string","minLength":1},"description":"The group's name."}],"delete":{"operationId":"remove\#
    Group","summary":"Remove a group.","responses":{"204":{"description":"Done."},"400":{"$ref":"#/compo\#
    nents/responses/400"},"401":{"$ref":"#/components/responses/401"},"403":{"$ref":"#/components/respon\#
    ses/403"},"404":{"$ref":"#/components/responses/404"},"405":{"$ref":"#/components/responses/405"},"4\#
    09":{"$ref":"#/components/responses/409"},"411":{"$ref":"#/components/responses/411"},"413":{"$ref":\#
    "#/components/responses/413"},"414":{"$ref":"#/components/responses/414"},"421":{"$ref":"#/component\#
    s/responses/421"},"422":{"$ref":"#/components/responses/422"},"429":{"$ref":"#/components/responses/\#
    429"},"431":{"$ref":"#/components/responses/431"},"503":{"$ref":"#/components/responses/503"}}}},"/c\#
    hannels":{"get":{"operationId":"listChannels","summary":"What may be published to.","responses":{"20\#
    0":{"description":"All of them.","content":{"application/json":{"schema":{"type":"object","propertie\#
    s":{"items":{"type":"array","items":{"$ref":"#/components/schemas/Channel"}},"total":{"type":"intege\#
    r","minimum":0}},"required":["items","total"]}}}},"400":{"$ref":"#/components/responses/400"},"401":\#
    {"$ref":"#/components/responses/401"},"403":{"$ref":"#/components/responses/403"},"404":{"$ref":"#/c\#
    omponents/responses/404"},"405":{"$ref":"#/components/responses/405"},"409":{"$ref":"#/components/re\#
    sponses/409"},"411":{"$ref":"#/components/responses/411"},"413":{"$ref":"#/components/responses/413"\#
    },"414":{"$ref":"#/components/responses/414"},"421":{"$ref":"#/components/responses/421"},"422":{"$r\#
    ef":"#/components/responses/422"},"429":{"$ref":"#/components/responses/429"},"431":{"$ref":"#/compo\#
    nents/responses/431"},"503":{"$ref":"#/components/responses/503"}}}},"/channels/{channel}":{"paramet\#
    ers":[{"name":"channel","in":"path","required":true,"schema":{"type":"string","minLength":1},"descri\#
    ption":"fleet, group.NAME or device.ID."}],"get":{"operationId":"getChannel","summary":"One channel.\#
    ","responses":{"200":{"description":"It.","content":{"application/json":{"schema":{"$ref":"#/compone\#
    nts/schemas/Channel"}}}},"400":{"$ref":"#/components/responses/400"},"401":{"$ref":"#/components/res\#
    ponses/401"},"403":{"$ref":"#/components/responses/403"},"404":{"$ref":"#/components/responses/404"}\#
    ,"405":{"$ref":"#/components/responses/405"},"409":{"$ref":"#/components/responses/409"},"411":{"$re\#
    f":"#/components/responses/411"},"413":{"$ref":"#/components/responses/413"},"414":{"$ref":"#/compon\#
    ents/responses/414"},"421":{"$ref":"#/components/responses/421"},"422":{"$ref":"#/components/respons\#
    es/422"},"429":{"$ref":"#/components/responses/429"},"431":{"$ref":"#/components/responses/431"},"50\#
    3":{"$ref":"#/components/responses/503"}}}},"/channels/{channel}/draft":{"parameters":[{"name":"chan\#
    nel","in":"path","required":true,"schema":{"type":"string","minLength":1},"description":"fleet, grou\#
    p.NAME or device.ID."}],"get":{"operationId":"getDraft","summary":"What the channel is to say; its e\#
    ntity tag names its revision.","responses":{"200":{"description":"It.","content":{"application/json"\#
    :{"schema":{"$ref":"#/components/schemas/Draft"}}}},"400":{"$ref":"#/components/responses/400"},"401\#
    ":{"$ref":"#/components/responses/401"},"403":{"$ref":"#/components/responses/403"},"404":{"$ref":"#\#
    /components/responses/404"},"405":{"$ref":"#/components/responses/405"},"409":{"$ref":"#/components/\#
    responses/409"},"411":{"$ref":"#/components/responses/411"},"413":{"$ref":"#/components/responses/41\#
    3"},"414":{"$ref":"#/components/responses/414"},"421":{"$ref":"#/components/responses/421"},"422":{"\#
    $ref":"#/components/responses/422"},"429":{"$ref":"#/components/responses/429"},"431":{"$ref":"#/com\#
    ponents/responses/431"},"503":{"$ref":"#/components/responses/503"}}},"patch":{"operationId":"change\#
    Draft","summary":"Set and unset settings.","responses":{"200":{"description":"The draft as it is now\#
    .","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Draft"}}}},"400":{"$ref":"#\#
    /components/responses/400"},"401":{"$ref":"#/components/responses/401"},"403":{"$ref":"#/components/\#
    responses/403"},"404":{"$ref":"#/components/responses/404"},"405":{"$ref":"#/components/responses/40\#
    5"},"409":{"$ref":"#/components/responses/409"},"411":{"$ref":"#/components/responses/411"},"413":{"\#
    $ref":"#/components/responses/413"},"414":{"$ref":"#/components/responses/414"},"421":{"$ref":"#/com\#
    ponents/responses/421"},"422":{"$ref":"#/components/responses/422"},"429":{"$ref":"#/components/resp\#
    onses/429"},"431":{"$ref":"#/components/responses/431"},"503":{"$ref":"#/components/responses/503"}}\#
    ,"parameters":[{"name":"If-Match","in":"header","schema":{"type":"string","pattern":"^\"r[0-9]{1,9}\\#
    "$"},"description":"The entity tag of the draft that was seen."}],"requestBody":{"required":true,"co\#
    ntent":{"application/json":{"schema":{"$ref":"#/components/schemas/DraftChange"}}}}},"delete":{"oper\#
    ationId":"discardDraft","summary":"Have the draft say what is published.","responses":{"204":{"descr\#
    iption":"Done."},"400":{"$ref":"#/components/responses/400"},"401":{"$ref":"#/components/responses/4\#
    01"},"403":{"$ref":"#/components/responses/403"},"404":{"$ref":"#/components/responses/404"},"405":{\#
    "$ref":"#/components/responses/405"},"409":{"$ref":"#/components/responses/409"},"411":{"$ref":"#/co\#
    mponents/responses/411"},"413":{"$ref":"#/components/responses/413"},"414":{"$ref":"#/components/res\#
    ponses/414"},"421":{"$ref":"#/components/responses/421"},"422":{"$ref":"#/components/responses/422"}\#
    ,"429":{"$ref":"#/components/responses/429"},"431":{"$ref":"#/components/responses/431"},"503":{"$re\#
    f":"#/components/responses/503"}}}},"/channels/{channel}/difference":{"parameters":[{"name":"channel\#
    ","in":"path","required":true,"schema":{"type":"string","minLength":1},"description":"fleet, group.N\#
    AME or device.ID."}],"get":{"operationId":"getDifference","summary":"What publishing would change.",\#
    "responses":{"200":{"description":"It.","content":{"application/json":{"schema":{"$ref":"#/component\#
    s/schemas/Difference"}}}},"400":{"$ref":"#/components/responses/400"},"401":{"$ref":"#/components/re\#
    sponses/401"},"403":{"$ref":"#/components/responses/403"},"404":{"$ref":"#/components/responses/404"\#
    },"405":{"$ref":"#/components/responses/405"},"409":{"$ref":"#/components/responses/409"},"411":{"$r\#
    ef":"#/components/responses/411"},"413":{"$ref":"#/components/responses/413"},"414":{"$ref":"#/compo\#
    nents/responses/414"},"421":{"$ref":"#/components/responses/421"},"422":{"$ref":"#/components/respon\#
    ses/422"},"429":{"$ref":"#/components/responses/429"},"431":{"$ref":"#/components/responses/431"},"5\#
    03":{"$ref":"#/components/responses/503"}}}},"/channels/{channel}/publications":{"parameters":[{"nam\#
    e":"channel","in":"path","required":true,"schema":{"type":"string","minLength":1},"description":"fle\#
    et, group.NAME or device.ID."}],"post":{"operationId":"publish","summary":"Publish the draft.","resp\#
    onses":{"201":{"description":"Published, or rolling out.","content":{"application/json":{"schema":{"\#
    $ref":"#/components/schemas/Publication"}}}},"400":{"$ref":"#/components/responses/400"},"401":{"$re\#
    f":"#/components/responses/401"},"403":{"$ref":"#/components/responses/403"},"404":{"$ref":"#/compon\#
    ents/responses/404"},"405":{"$ref":"#/components/responses/405"},"409":{"$ref":"#/components/respons\#
    es/409"},"411":{"$ref":"#/components/responses/411"},"413":{"$ref":"#/components/responses/413"},"41\#
    4":{"$ref":"#/components/responses/414"},"421":{"$ref":"#/components/responses/421"},"422":{"$ref":"\#
    #/components/responses/422"},"429":{"$ref":"#/components/responses/429"},"431":{"$ref":"#/components\#
    /responses/431"},"503":{"$ref":"#/components/responses/503"}},"parameters":[{"name":"If-Match","in":\#
    "header","schema":{"type":"string","pattern":"^\"r[0-9]{1,9}\"$"},"description":"The entity tag of t\#
    he draft that was seen."}],"requestBody":{"required":true,"content":{"application/json":{"schema":{"\#
    $ref":"#/components/schemas/Plan"}}}}}},"/publications":{"get":{"operationId":"listPublications","su\#
    mmary":"What was published, the latest first.","responses":{"200":{"description":"A page of it.","co\#
    ntent":{"application/json":{"schema":{"type":"object","properties":{"items":{"type":"array","items":\#
    {"$ref":"#/components/schemas/PublicationLine"}},"total":{"type":"integer","minimum":0}},"required":\#
    ["items","total"]}}}},"400":{"$ref":"#/components/responses/400"},"401":{"$ref":"#/components/respon\#
    ses/401"},"403":{"$ref":"#/components/responses/403"},"404":{"$ref":"#/components/responses/404"},"4\#
    05":{"$ref":"#/components/responses/405"},"409":{"$ref":"#/components/responses/409"},"411":{"$ref":\#
    "#/components/responses/411"},"413":{"$ref":"#/components/responses/413"},"414":{"$ref":"#/component\#
    s/responses/414"},"421":{"$ref":"#/components/responses/421"},"422":{"$ref":"#/components/responses/\#
    422"},"429":{"$ref":"#/components/responses/429"},"431":{"$ref":"#/components/responses/431"},"503":\#
    {"$ref":"#/components/responses/503"}},"parameters":[{"name":"channel","in":"query","schema":{"type"\#
    :"string"},"description":"Only of this channel."},{"name":"before","in":"query","schema":{"type":"in\#
    teger","minimum":0,"maximum":562949953421312},"description":"Only what has a lower number."},{"name"\#
    :"limit","in":"query","schema":{"type":"integer","minimum":1,"maximum":1000},"description":"How many\#
    ; 100 without it."}]}},"/publications/{number}":{"parameters":[{"name":"number","in":"path","require\#
    d":true,"schema":{"type":"integer","minimum":1,"maximum":1099511627776},"description":"The number."}\#
    ],"get":{"operationId":"getPublication","summary":"One publication, and how it goes.","responses":{"\#
    200":{"description":"It.","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Publ\#
    ication"}}}},"400":{"$ref":"#/components/responses/400"},"401":{"$ref":"#/components/responses/401"}\#
    ,"403":{"$ref":"#/components/responses/403"},"404":{"$ref":"#/components/responses/404"},"405":{"$re\#
    f":"#/components/responses/405"},"409":{"$ref":"#/components/responses/409"},"411":{"$ref":"#/compon\#
    ents/responses/411"},"413":{"$ref":"#/components/responses/413"},"414":{"$ref":"#/components/respons\#
    es/414"},"421":{"$ref":"#/components/responses/421"},"422":{"$ref":"#/components/responses/422"},"42\#
    9":{"$ref":"#/components/responses/429"},"431":{"$ref":"#/components/responses/431"},"503":{"$ref":"\#
    #/components/responses/503"}}}},"/publications/{number}/stop":{"parameters":[{"name":"number","in":"\#
    path","required":true,"schema":{"type":"integer","minimum":1,"maximum":1099511627776},"description":\#
    "The number."}],"post":{"operationId":"stopPublication","summary":"Stop a rollout: what was there be\#
    fore is back.","responses":{"200":{"description":"The publication that holds now.","content":{"appli\#
    cation/json":{"schema":{"$ref":"#/components/schemas/Publication"}}}},"400":{"$ref":"#/components/re\#
    sponses/400"},"401":{"$ref":"#/components/responses/401"},"403":{"$ref":"#/components/responses/403"\#
    },"404":{"$ref":"#/components/responses/404"},"405":{"$ref":"#/components/responses/405"},"409":{"$r\#
    ef":"#/components/responses/409"},"411":{"$ref":"#/components/responses/411"},"413":{"$ref":"#/compo\#
    nents/responses/413"},"414":{"$ref":"#/components/responses/414"},"421":{"$ref":"#/components/respon\#
    ses/421"},"422":{"$ref":"#/components/responses/422"},"429":{"$ref":"#/components/responses/429"},"4\#
    31":{"$ref":"#/components/responses/431"},"503":{"$ref":"#/components/responses/503"}}}},"/publicati\#
    ons/{number}/raise":{"parameters":[{"name":"number","in":"path","required":true,"schema":{"type":"in\#
    teger","minimum":1,"maximum":1099511627776},"description":"The number."}],"post":{"operationId":"rai\#
    sePublication","summary":"Go on with the next step.","responses":{"200":{"description":"The publicat\#
    ion that holds now.","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Publicati\#
    on"}}}},"400":{"$ref":"#/components/responses/400"},"401":{"$ref":"#/components/responses/401"},"403\#
    ":{"$ref":"#/components/responses/403"},"404":{"$ref":"#/components/responses/404"},"405":{"$ref":"#\#
    /components/responses/405"},"409":{"$ref":"#/components/responses/409"},"411":{"$ref":"#/components/\#
    responses/411"},"413":{"$ref":"#/components/responses/413"},"414":{"$ref":"#/components/responses/41\#
    4"},"421":{"$ref":"#/components/responses/421"},"422":{"$ref":"#/components/responses/422"},"429":{"\#
    $ref":"#/components/responses/429"},"431":{"$ref":"#/components/responses/431"},"503":{"$ref":"#/com\#
    ponents/responses/503"}}}},"/publications/{number}/resume":{"parameters":[{"name":"number","in":"pat\#
    h","required":true,"schema":{"type":"integer","minimum":1,"maximum":1099511627776},"description":"Th\#
    e number."}],"post":{"operationId":"resumePublication","summary":"Go on with what was stopped.","res\#
    ponses":{"200":{"description":"The publication that holds now.","content":{"application/json":{"sche\#
    ma":{"$ref":"#/components/schemas/Publication"}}}},"400":{"$ref":"#/components/responses/400"},"401"\#
    :{"$ref":"#/components/responses/401"},"403":{"$ref":"#/components/responses/403"},"404":{"$ref":"#/\#
    components/responses/404"},"405":{"$ref":"#/components/responses/405"},"409":{"$ref":"#/components/r\#
    esponses/409"},"411":{"$ref":"#/components/responses/411"},"413":{"$ref":"#/components/responses/413\#
    "},"414":{"$ref":"#/components/responses/414"},"421":{"$ref":"#/components/responses/421"},"422":{"$\#
    ref":"#/components/responses/422"},"429":{"$ref":"#/components/responses/429"},"431":{"$ref":"#/comp\#
    onents/responses/431"},"503":{"$ref":"#/components/responses/503"}}}},"/publications/{number}/undo":\#
    {"parameters":[{"name":"number","in":"path","required":true,"schema":{"type":"integer","minimum":1,"\#
    maximum":1099511627776},"description":"The number."}],"post":{"operationId":"undoPublication","summa\#
    ry":"Publish what was there before.","responses":{"200":{"description":"The publication that holds n\#
    ow.","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Publication"}}}},"400":{"\#
    $ref":"#/components/responses/400"},"401":{"$ref":"#/components/responses/401"},"403":{"$ref":"#/com\#
    ponents/responses/403"},"404":{"$ref":"#/components/responses/404"},"405":{"$ref":"#/components/resp\#
    onses/405"},"409":{"$ref":"#/components/responses/409"},"411":{"$ref":"#/components/responses/411"},\#
    "413":{"$ref":"#/components/responses/413"},"414":{"$ref":"#/components/responses/414"},"421":{"$ref\#
    ":"#/components/responses/421"},"422":{"$ref":"#/components/responses/422"},"429":{"$ref":"#/compone\#
    nts/responses/429"},"431":{"$ref":"#/components/responses/431"},"503":{"$ref":"#/components/response\#
    s/503"}}}},"/history":{"get":{"operationId":"listHistory","summary":"Who has done what, the latest f\#
    irst.","responses":{"200":{"description":"A page of it.","content":{"application/json":{"schema":{"t\#
    ype":"object","properties":{"items":{"type":"array","items":{"$ref":"#/components/schemas/History"}}\#
    ,"total":{"type":"integer","minimum":0}},"required":["items","total"]}}}},"400":{"$ref":"#/component\#
    s/responses/400"},"401":{"$ref":"#/components/responses/401"},"403":{"$ref":"#/components/responses/\#
    403"},"404":{"$ref":"#/components/responses/404"},"405":{"$ref":"#/components/responses/405"},"409":\#
    {"$ref":"#/components/responses/409"},"411":{"$ref":"#/components/responses/411"},"413":{"$ref":"#/c\#
    omponents/responses/413"},"414":{"$ref":"#/components/responses/414"},"421":{"$ref":"#/components/re\#
    sponses/421"},"422":{"$ref":"#/components/responses/422"},"429":{"$ref":"#/components/responses/429"\#
    },"431":{"$ref":"#/components/responses/431"},"503":{"$ref":"#/components/responses/503"}},"paramete\#
    rs":[{"name":"before","in":"query","schema":{"type":"integer","minimum":0,"maximum":562949953421312}\#
    ,"description":"Only what has a lower number."},{"name":"limit","in":"query","schema":{"type":"integ\#
    er","minimum":1,"maximum":1000},"description":"How many; 100 without it."}]}},"/enrollments":{"get":\#
    {"operationId":"listEnrollments","summary":"Codes by which devices join.","responses":{"200":{"descr\#
    iption":"The latest of them.","content":{"application/json":{"schema":{"type":"object","properties":\#
    {"items":{"type":"array","items":{"$ref":"#/components/schemas/Enrollment"}},"total":{"type":"intege\#
    r","minimum":0}},"required":["items","total"]}}}},"400":{"$ref":"#/components/responses/400"},"401":\#
    {"$ref":"#/components/responses/401"},"403":{"$ref":"#/components/responses/403"},"404":{"$ref":"#/c\#
    omponents/responses/404"},"405":{"$ref":"#/components/responses/405"},"409":{"$ref":"#/components/re\#
    sponses/409"},"411":{"$ref":"#/components/responses/411"},"413":{"$ref":"#/components/responses/413"\#
    },"414":{"$ref":"#/components/responses/414"},"421":{"$ref":"#/components/responses/421"},"422":{"$r\#
    ef":"#/components/responses/422"},"429":{"$ref":"#/components/responses/429"},"431":{"$ref":"#/compo\#
    nents/responses/431"},"503":{"$ref":"#/components/responses/503"}}},"post":{"operationId":"makeEnrol\#
    lment","summary":"Make a code for one device.","responses":{"201":{"description":"Made; the code is \#
    told once.","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Enrollment"}}}},"4\#
    00":{"$ref":"#/components/responses/400"},"401":{"$ref":"#/components/responses/401"},"403":{"$ref":\#
    "#/components/responses/403"},"404":{"$ref":"#/components/responses/404"},"405":{"$ref":"#/component\#
    s/responses/405"},"409":{"$ref":"#/components/responses/409"},"411":{"$ref":"#/components/responses/\#
    411"},"413":{"$ref":"#/components/responses/413"},"414":{"$ref":"#/components/responses/414"},"421":\#
    {"$ref":"#/components/responses/421"},"422":{"$ref":"#/components/responses/422"},"429":{"$ref":"#/c\#
    omponents/responses/429"},"431":{"$ref":"#/components/responses/431"},"503":{"$ref":"#/components/re\#
    sponses/503"}},"requestBody":{"required":true,"content":{"application/json":{"schema":{"type":"objec\#
    t","properties":{"label":{"type":"string","maxLength":64},"groups":{"type":"array","items":{"type":"\#
    string"},"maxItems":16},"hours":{"type":"integer","minimum":1,"maximum":8760}},"required":[],"additi\#
    onalProperties":false}}}}}},"/enrollments/{id}":{"parameters":[{"name":"id","in":"path","required":t\#
    rue,"schema":{"type":"string","minLength":1},"description":"The enrollment's id."}],"get":{"operatio\#
    nId":"getEnrollment","summary":"One of them.","responses":{"200":{"description":"It.","content":{"ap\#
    plication/json":{"schema":{"$ref":"#/components/schemas/Enrollment"}}}},"400":{"$ref":"#/components/\#
    responses/400"},"401":{"$ref":"#/components/responses/401"},"403":{"$ref":"#/components/responses/40\#
    3"},"404":{"$ref":"#/components/responses/404"},"405":{"$ref":"#/components/responses/405"},"409":{"\#
    $ref":"#/components/responses/409"},"411":{"$ref":"#/components/responses/411"},"413":{"$ref":"#/com\#
    ponents/responses/413"},"414":{"$ref":"#/components/responses/414"},"421":{"$ref":"#/components/resp\#
    onses/421"},"422":{"$ref":"#/components/responses/422"},"429":{"$ref":"#/components/responses/429"},\#
    "431":{"$ref":"#/components/responses/431"},"503":{"$ref":"#/components/responses/503"}}},"delete":{\#
    "operationId":"withdrawEnrollment","summary":"Withdraw a code that nobody has used.","responses":{"2\#
    04":{"description":"Done."},"400":{"$ref":"#/components/responses/400"},"401":{"$ref":"#/components/\#
    responses/401"},"403":{"$ref":"#/components/responses/403"},"404":{"$ref":"#/components/responses/40\#
    4"},"405":{"$ref":"#/components/responses/405"},"409":{"$ref":"#/components/responses/409"},"411":{"\#
    $ref":"#/components/responses/411"},"413":{"$ref":"#/components/responses/413"},"414":{"$ref":"#/com\#
    ponents/responses/414"},"421":{"$ref":"#/components/responses/421"},"422":{"$ref":"#/components/resp\#
    onses/422"},"429":{"$ref":"#/components/responses/429"},"431":{"$ref":"#/components/responses/431"},\#
    "503":{"$ref":"#/components/responses/503"}}}},"/schemas":{"get":{"operationId":"listSchemas","summa\#
    ry":"Schemas, and how many devices have which version.","responses":{"200":{"description":"All of th\#
    em.","content":{"application/json":{"schema":{"type":"object","properties":{"items":{"type":"array",\#
    "items":{"$ref":"#/components/schemas/Schema"}},"total":{"type":"integer","minimum":0}},"required":[\#
    "items","total"]}}}},"400":{"$ref":"#/components/responses/400"},"401":{"$ref":"#/components/respons\#
    es/401"},"403":{"$ref":"#/components/responses/403"},"404":{"$ref":"#/components/responses/404"},"40\#
    5":{"$ref":"#/components/responses/405"},"409":{"$ref":"#/components/responses/409"},"411":{"$ref":"\#
    #/components/responses/411"},"413":{"$ref":"#/components/responses/413"},"414":{"$ref":"#/components\#
    /responses/414"},"421":{"$ref":"#/components/responses/421"},"422":{"$ref":"#/components/responses/4\#
    22"},"429":{"$ref":"#/components/responses/429"},"431":{"$ref":"#/components/responses/431"},"503":{\#
    "$ref":"#/components/responses/503"}}},"post":{"operationId":"addSchema","summary":"Add a schema.","\#
    responses":{"200":{"description":"All of them.","content":{"application/json":{"schema":{"type":"obj\#
    ect","properties":{"items":{"type":"array","items":{"$ref":"#/components/schemas/Schema"}},"total":{\#
    "type":"integer","minimum":0}},"required":["items","total"]}}}},"400":{"$ref":"#/components/response\#
    s/400"},"401":{"$ref":"#/components/responses/401"},"403":{"$ref":"#/components/responses/403"},"404\#
    ":{"$ref":"#/components/responses/404"},"405":{"$ref":"#/components/responses/405"},"409":{"$ref":"#\#
    /components/responses/409"},"411":{"$ref":"#/components/responses/411"},"413":{"$ref":"#/components/\#
    responses/413"},"414":{"$ref":"#/components/responses/414"},"421":{"$ref":"#/components/responses/42\#
    1"},"422":{"$ref":"#/components/responses/422"},"429":{"$ref":"#/components/responses/429"},"431":{"\#
    $ref":"#/components/responses/431"},"503":{"$ref":"#/components/responses/503"}},"requestBody":{"req\#
    uired":true,"content":{"application/json":{"schema":{"type":"object","description":"A schema: docs/s\#
    chema.md."}}}}}},"/assets":{"post":{"operationId":"uploadAsset","summary":"Upload an image.","respon\#
    ses":{"201":{"description":"Its id.","content":{"application/json":{"schema":{"type":"object","prope\#
    rties":{"id":{"type":"string"},"size":{"type":"integer","minimum":1}},"required":["id","size"]}}}},"\#
    400":{"$ref":"#/components/responses/400"},"401":{"$ref":"#/components/responses/401"},"403":{"$ref"\#
    :"#/components/responses/403"},"404":{"$ref":"#/components/responses/404"},"405":{"$ref":"#/componen\#
    ts/responses/405"},"409":{"$ref":"#/components/responses/409"},"411":{"$ref":"#/components/responses\#
    /411"},"413":{"$ref":"#/components/responses/413"},"414":{"$ref":"#/components/responses/414"},"421"\#
    :{"$ref":"#/components/responses/421"},"422":{"$ref":"#/components/responses/422"},"429":{"$ref":"#/\#
    components/responses/429"},"431":{"$ref":"#/components/responses/431"},"503":{"$ref":"#/components/r\#
    esponses/503"}},"requestBody":{"required":true,"content":{"application/octet-stream":{"schema":{"typ\#
    e":"string","contentEncoding":"binary"}}}}}},"/assets/{id}":{"parameters":[{"name":"id","in":"path",\#
    "required":true,"schema":{"type":"string","minLength":1},"description":"The image's id."}],"get":{"o\#
    perationId":"getAsset","summary":"The bytes of an image.","responses":{"200":{"description":"They.",\#
    "content":{"application/octet-stream":{"schema":{"type":"string","contentEncoding":"binary"}}}},"400\#
    ":{"$ref":"#/components/responses/400"},"401":{"$ref":"#/components/responses/401"},"403":{"$ref":"#\#
    /components/responses/403"},"404":{"$ref":"#/components/responses/404"},"405":{"$ref":"#/components/\#
    responses/405"},"409":{"$ref":"#/components/responses/409"},"411":{"$ref":"#/components/responses/41\#
    1"},"413":{"$ref":"#/components/responses/413"},"414":{"$ref":"#/components/responses/414"},"421":{"\#
    $ref":"#/components/responses/421"},"422":{"$ref":"#/components/responses/422"},"429":{"$ref":"#/com\#
    ponents/responses/429"},"431":{"$ref":"#/components/responses/431"},"503":{"$ref":"#/components/resp\#
    onses/503"}}}},"/admins":{"get":{"operationId":"listAdmins","summary":"Who may sign in.","responses"\#
    :{"200":{"description":"All of them.","content":{"application/json":{"schema":{"type":"object","prop\#
    erties":{"items":{"type":"array","items":{"$ref":"#/components/schemas/Admin"}},"total":{"type":"int\#
    eger","minimum":0}},"required":["items","total"]}}}},"400":{"$ref":"#/components/responses/400"},"40\#
    1":{"$ref":"#/components/responses/401"},"403":{"$ref":"#/components/responses/403"},"404":{"$ref":"\#
    #/components/responses/404"},"405":{"$ref":"#/components/responses/405"},"409":{"$ref":"#/components\#
    /responses/409"},"411":{"$ref":"#/components/responses/411"},"413":{"$ref":"#/components/responses/4\#
    13"},"414":{"$ref":"#/components/responses/414"},"421":{"$ref":"#/components/responses/421"},"422":{\#
    "$ref":"#/components/responses/422"},"429":{"$ref":"#/components/responses/429"},"431":{"$ref":"#/co\#
    mponents/responses/431"},"503":{"$ref":"#/components/responses/503"}}}},"/admins/{name}":{"parameter\#
    s":[{"name":"name","in":"path","required":true,"schema":{"type":"string","minLength":1},"description\#
    ":"The name."}],"put":{"operationId":"putAdmin","summary":"Add somebody, or change role and password\#
    .","responses":{"204":{"description":"Done."},"400":{"$ref":"#/components/responses/400"},"401":{"$r\#
    ef":"#/components/responses/401"},"403":{"$ref":"#/components/responses/403"},"404":{"$ref":"#/compo\#
    nents/responses/404"},"405":{"$ref":"#/components/responses/405"},"409":{"$ref":"#/components/respon\#
    ses/409"},"411":{"$ref":"#/components/responses/411"},"413":{"$ref":"#/components/responses/413"},"4\#
    14":{"$ref":"#/components/responses/414"},"421":{"$ref":"#/components/responses/421"},"422":{"$ref":\#
    "#/components/responses/422"},"429":{"$ref":"#/components/responses/429"},"431":{"$ref":"#/component\#
    s/responses/431"},"503":{"$ref":"#/components/responses/503"}},"requestBody":{"required":true,"conte\#
    nt":{"application/json":{"schema":{"type":"object","properties":{"role":{"type":"string","enum":["vi\#
    ewer","editor"]},"password":{"type":"string","minLength":8,"maxLength":128}},"required":["role"],"ad\#
    ditionalProperties":false}}}}},"delete":{"operationId":"removeAdmin","summary":"Remove somebody, wit\#
    h all sessions and tokens.","responses":{"204":{"description":"Done."},"400":{"$ref":"#/components/r\#
    esponses/400"},"401":{"$ref":"#/components/responses/401"},"403":{"$ref":"#/components/responses/403\#
    "},"404":{"$ref":"#/components/responses/404"},"405":{"$ref":"#/components/responses/405"},"409":{"$\#
    ref":"#/components/responses/409"},"411":{"$ref":"#/components/responses/411"},"413":{"$ref":"#/comp\#
    onents/responses/413"},"414":{"$ref":"#/components/responses/414"},"421":{"$ref":"#/components/respo\#
    nses/421"},"422":{"$ref":"#/components/responses/422"},"429":{"$ref":"#/components/responses/429"},"\#
    431":{"$ref":"#/components/responses/431"},"503":{"$ref":"#/components/responses/503"}}}},"/tokens":\#
    {"get":{"operationId":"listTokens","summary":"Tokens of programs.","responses":{"200":{"description"\#
    :"All of them.","content":{"application/json":{"schema":{"type":"object","properties":{"items":{"typ\#
    e":"array","items":{"$ref":"#/components/schemas/Token"}},"total":{"type":"integer","minimum":0}},"r\#
    equired":["items","total"]}}}},"400":{"$ref":"#/components/responses/400"},"401":{"$ref":"#/componen\#
    ts/responses/401"},"403":{"$ref":"#/components/responses/403"},"404":{"$ref":"#/components/responses\#
    /404"},"405":{"$ref":"#/components/responses/405"},"409":{"$ref":"#/components/responses/409"},"411"\#
    :{"$ref":"#/components/responses/411"},"413":{"$ref":"#/components/responses/413"},"414":{"$ref":"#/\#
    components/responses/414"},"421":{"$ref":"#/components/responses/421"},"422":{"$ref":"#/components/r\#
    esponses/422"},"429":{"$ref":"#/components/responses/429"},"431":{"$ref":"#/components/responses/431\#
    "},"503":{"$ref":"#/components/responses/503"}}},"post":{"operationId":"makeToken","summary":"Make a\#
     token that acts as whoever asks.","responses":{"201":{"description":"Made; it is told once.","conte\#
    nt":{"application/json":{"schema":{"type":"object","properties":{"number":{"type":"integer","minimum\#
    ":1},"token":{"type":"string"}},"required":["number","token"]}}}},"400":{"$ref":"#/components/respon\#
    ses/400"},"401":{"$ref":"#/components/responses/401"},"403":{"$ref":"#/components/responses/403"},"4\#
    04":{"$ref":"#/components/responses/404"},"405":{"$ref":"#/components/responses/405"},"409":{"$ref":\#
    "#/components/responses/409"},"411":{"$ref":"#/components/responses/411"},"413":{"$ref":"#/component\#
    s/responses/413"},"414":{"$ref":"#/components/responses/414"},"421":{"$ref":"#/components/responses/\#
    421"},"422":{"$ref":"#/components/responses/422"},"429":{"$ref":"#/components/responses/429"},"431":\#
    {"$ref":"#/components/responses/431"},"503":{"$ref":"#/components/responses/503"}},"requestBody":{"r\#
    equired":true,"content":{"application/json":{"schema":{"type":"object","properties":{"label":{"type"\#
    :"string","maxLength":64},"days":{"type":"integer","minimum":1,"maximum":3650}},"required":[],"addit\#
    ionalProperties":false}}}}}},"/tokens/{number}":{"parameters":[{"name":"number","in":"path","require\#
    d":true,"schema":{"type":"integer","minimum":1,"maximum":1099511627776},"description":"The number."}\#
    ],"delete":{"operationId":"removeToken","summary":"Remove a token.","responses":{"204":{"description\#
    ":"Done."},"400":{"$ref":"#/components/responses/400"},"401":{"$ref":"#/components/responses/401"},"\#
    403":{"$ref":"#/components/responses/403"},"404":{"$ref":"#/components/responses/404"},"405":{"$ref"\#
    :"#/components/responses/405"},"409":{"$ref":"#/components/responses/409"},"411":{"$ref":"#/componen\#
    ts/responses/411"},"413":{"$ref":"#/components/responses/413"},"414":{"$ref":"#/components/responses\#
    /414"},"421":{"$ref":"#/components/responses/421"},"422":{"$ref":"#/components/responses/422"},"429"\#
    :{"$ref":"#/components/responses/429"},"431":{"$ref":"#/components/responses/431"},"503":{"$ref":"#/\#
    components/responses/503"}}}}},"components":{"schemas":{"Problem":{"type":"object","properties":{"ty\#
    pe":{"type":"string"},"title":{"type":"string"},"status":{"type":"integer","minimum":400,"maximum":5\#
    99},"detail":{"type":"string"},"pointer":{"type":"string","description":"A JSON pointer to what is w\#
    rong in the body."}},"required":["detail","status","title","type"],"description":"RFC 9457."},"State\#
    ":{"type":"string","enum":["right","behind","failing","silent"],"description":"right: it has what is\#
     published; behind: it has not told of it; failing: it refused something, or something is wrong with\#
     it; silent: not heard of for a day."},"DeviceLine":{"type":"object","properties":{"id":{"type":"str\#
    ing","pattern":"^[0-9a-f]{32}$"},"name":{"type":"string"},"groups":{"type":"array","items":{"type":"\#
    string"}},"state":{"$ref":"#/components/schemas/State"},"seen":{"type":"integer","minimum":0,"descri\#
    ption":"Seconds since 1970."},"schema":{"type":"integer"},"problem":{"type":"string"}},"required":["\#
    groups","id","name","state"]},"Device":{"allOf":[{"$ref":"#/components/schemas/DeviceLine"},{"type":\#
    "object","properties":{"enrolled":{"type":"integer","minimum":0,"description":"Seconds since 1970."}\#
    ,"reported":{"type":"integer","minimum":0,"description":"Seconds since 1970."},"health":{"type":"str\#
    ing","description":"What the app says of its health; missing if it is well."},"channels":{"type":"ar\#
    ray","items":{"type":"object","properties":{"name":{"type":"string"},"has":{"type":"integer"},"publi\#
    shed":{"type":"integer"}},"required":["name"]}},"verdicts":{"type":"array","items":{"type":"object",\#
    "properties":{"publication":{"type":"integer"},"channel":{"type":"string"},"verdict":{"type":"string\#
    ","enum":["applied","scheduled","passed-over","refused","unusable"]}},"required":["channel","verdict\#
    "]}},"violations":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"m\#
    essage":{"type":"string"}},"required":["message","name"]}},"settings":{"type":"array","items":{"type\#
    ":"object","properties":{"name":{"type":"string"},"value":{"description":"A value as JSON: colors as\#
     #RRGGBBAA, dates as RFC 3339 in UTC, URLs and images as text, data as base64."},"layer":{"type":"st\#
    ring"},"decidedBy":{"type":"string","description":"What decides, in words."},"publication":{"type":"\#
    integer"},"time":{"type":"integer","minimum":0,"description":"Seconds since 1970."},"author":{"type"\#
    :"string"}},"required":["decidedBy","name"]}}},"required":["channels","settings","verdicts","violati\#
    ons"]}]},"Group":{"type":"object","properties":{"name":{"type":"string"},"members":{"type":"integer"\#
    ,"minimum":0}},"required":["members","name"]},"Channel":{"type":"object","properties":{"name":{"type\#
    ":"string"},"changes":{"type":"integer","minimum":0,"description":"Settings of the draft that differ\#
     from what is published."},"settings":{"type":"integer","minimum":0},"version":{"type":"integer","mi\#
    nimum":1},"publication":{"type":"integer","minimum":1},"published":{"type":"integer","minimum":0,"de\#
    scription":"Seconds since 1970."},"rolling":{"type":"boolean"}},"required":["changes","name","rollin\#
    g","settings"]},"DraftSetting":{"type":"object","properties":{"name":{"type":"string"},"verb":{"type\#
    ":"string","enum":["recommend","replace","enforce","release"]},"value":{"description":"A value as JS\#
    ON: colors as #RRGGBBAA, dates as RFC 3339 in UTC, URLs and images as text, data as base64."}},"requ\#
    ired":["name","verb"]},"Draft":{"type":"object","properties":{"revision":{"type":"integer","minimum"\#
    :0},"settings":{"type":"array","items":{"$ref":"#/components/schemas/DraftSetting"}}},"required":["r\#
    evision","settings"]},"DraftChange":{"type":"object","properties":{"revision":{"type":"integer","min\#
    imum":0,"maximum":9007199254740992,"description":"The revision that was seen; If-Match with the draf\#
    t's entity tag says the same."},"settings":{"type":"array","items":{"type":"object","properties":{"n\#
    ame":{"type":"string","minLength":1,"maxLength":255},"verb":{"type":"string","description":"recommen\#
    d, replace, enforce or release; without it the setting is taken out of the draft."},"value":{"descri\#
    ption":"A value as JSON: colors as #RRGGBBAA, dates as RFC 3339 in UTC, URLs and images as text, dat\#
    a as base64."}},"required":["name"],"additionalProperties":false},"maxItems":2048}},"required":["set\#
    tings"],"additionalProperties":false},"Change":{"type":"object","properties":{"name":{"type":"string\#
    "},"before":{"$ref":"#/components/schemas/DraftSetting"},"after":{"$ref":"#/components/schemas/Draft\#
    Setting"},"devices":{"type":"integer","minimum":0}},"required":["name"]},"Difference":{"type":"objec\#
    t","properties":{"revision":{"type":"integer","minimum":0},"settings":{"type":"array","items":{"$ref\#
    ":"#/components/schemas/Change"}},"devices":{"type":"integer","minimum":0},"changed":{"type":"intege\#
    r","minimum":0}},"required":["devices","revision","settings"]},"Plan":{"type":"object","properties":\#
    {"revision":{"type":"integer","minimum":0,"maximum":9007199254740992},"comment":{"type":"string","ma\#
    xLength":1000},"steps":{"type":"array","items":{"type":"integer","minimum":1,"maximum":10000},"descr\#
    iption":"Shares in hundredths of a percent, rising; the last is 10,000.","minItems":1,"maxItems":20}\#
    ,"pause":{"type":"integer","minimum":0,"maximum":2592000,"description":"Seconds that a step takes at\#
     least."},"bound":{"type":"integer","minimum":0,"maximum":10000,"description":"The most failures, in\#
     hundredths of a percent of the devices that have told."}},"required":[],"additionalProperties":fals\#
    e},"PublicationLine":{"type":"object","properties":{"number":{"type":"integer","minimum":1},"channel\#
    ":{"type":"string"},"author":{"type":"string"},"comment":{"type":"string"},"time":{"type":"integer",\#
    "minimum":0,"description":"Seconds since 1970."},"version":{"type":"integer","minimum":1},"state":{"\#
    type":"string","enum":["rolling","complete","stopped","undone"]},"share":{"type":"integer","minimum"\#
    :0,"maximum":10000}},"required":["author","channel","comment","number","share","state","time","versi\#
    on"]},"Publication":{"allOf":[{"$ref":"#/components/schemas/PublicationLine"},{"type":"object","prop\#
    erties":{"steps":{"type":"array","items":{"type":"integer"}},"pause":{"type":"integer"},"bound":{"ty\#
    pe":"integer"},"expected":{"type":"integer","minimum":0},"applied":{"type":"integer","minimum":0},"f\#
    ailed":{"type":"integer","minimum":0},"reason":{"type":"string"},"next":{"type":"integer","minimum":\#
    0,"description":"Seconds since 1970."},"canUndo":{"type":"boolean"},"failures":{"type":"array","item\#
    s":{"type":"object","properties":{"device":{"type":"string"},"name":{"type":"string"},"problem":{"ty\#
    pe":"string"}},"required":["device","name","problem"]}},"settings":{"type":"array","items":{"$ref":"\#
    #/components/schemas/Change"}}},"required":["applied","bound","canUndo","expected","failed","failure\#
    s","pause","settings","steps"]}]},"History":{"type":"object","properties":{"number":{"type":"integer\#
    ","minimum":1},"time":{"type":"integer","minimum":0,"description":"Seconds since 1970."},"author":{"\#
    type":"string"},"what":{"type":"string"},"detail":{"type":"string"}},"required":["author","detail","\#
    number","time","what"]},"Enrollment":{"type":"object","properties":{"id":{"type":"string"},"label":{\#
    "type":"string"},"groups":{"type":"array","items":{"type":"string"}},"expires":{"type":"integer","mi\#
    nimum":0,"description":"Seconds since 1970."},"device":{"type":"string","description":"The device th\#
    at has joined with it."},"code":{"type":"string","description":"Only right after it was made."}},"re\#
    quired":["expires","groups","id","label"]},"Schema":{"type":"object","properties":{"version":{"type"\#
    :"integer"},"digest":{"type":"string"},"title":{"type":"string"},"known":{"type":"boolean"},"current\#
    ":{"type":"boolean"},"devices":{"type":"integer","minimum":0}},"required":["current","devices","dige\#
    st","known","title","version"]},"Admin":{"type":"object","properties":{"name":{"type":"string"},"rol\#
    e":{"type":"string","enum":["viewer","editor"]},"created":{"type":"integer","minimum":0,"description\#
    ":"Seconds since 1970."}},"required":["created","name","role"]},"Token":{"type":"object","properties\#
    ":{"number":{"type":"integer","minimum":1},"admin":{"type":"string"},"label":{"type":"string"},"expi\#
    res":{"type":"integer","minimum":0,"description":"Seconds since 1970."}},"required":["admin","expire\#
    s","label","number"]},"Session":{"type":"object","properties":{"name":{"type":"string"},"role":{"typ\#
    e":"string","enum":["viewer","editor"]},"csrf":{"type":"string","description":"What X-Livery-CSRF ha\#
    s to be in requests that change something."}},"required":["csrf","name","role"]},"Status":{"type":"o\#
    bject","properties":{"fleet":{"type":"string"},"generation":{"type":"integer","minimum":0},"devices"\#
    :{"type":"integer","minimum":0},"right":{"type":"integer","minimum":0},"behind":{"type":"integer","m\#
    inimum":0},"failing":{"type":"integer","minimum":0},"silent":{"type":"integer","minimum":0},"rolling\#
    ":{"type":"integer","minimum":0},"keys":{"type":"integer","minimum":1},"keysExpire":{"type":"integer\#
    ","minimum":0,"description":"Seconds since 1970."},"manifestsExpire":{"type":"integer","minimum":0,"\#
    description":"Seconds since 1970."}},"required":["behind","devices","failing","fleet","generation","\#
    keys","keysExpire","right","rolling","silent"]}},"responses":{"400":{"description":"The request is m\#
    alformed.","content":{"application/problem+json":{"schema":{"$ref":"#/components/schemas/Problem"}}}\#
    },"401":{"description":"Nobody is signed in.","content":{"application/problem+json":{"schema":{"$ref\#
    ":"#/components/schemas/Problem"}}}},"403":{"description":"A viewer changes nothing; or the token of\#
     the session is missing.","content":{"application/problem+json":{"schema":{"$ref":"#/components/sche\#
    mas/Problem"}}}},"404":{"description":"There is no such thing.","content":{"application/problem+json\#
    ":{"schema":{"$ref":"#/components/schemas/Problem"}}}},"405":{"description":"This is not done here."\#
    ,"content":{"application/problem+json":{"schema":{"$ref":"#/components/schemas/Problem"}}}},"409":{"\#
    description":"Somebody else was first, or it is not the time for it.","content":{"application/proble\#
    m+json":{"schema":{"$ref":"#/components/schemas/Problem"}}}},"411":{"description":"The length of the\#
     body is missing.","content":{"application/problem+json":{"schema":{"$ref":"#/components/schemas/Pro\#
    blem"}}}},"413":{"description":"The body is too large.","content":{"application/problem+json":{"sche\#
    ma":{"$ref":"#/components/schemas/Problem"}}}},"414":{"description":"The address is too long.","cont\#
    ent":{"application/problem+json":{"schema":{"$ref":"#/components/schemas/Problem"}}}},"421":{"descri\#
    ption":"Another host is meant.","content":{"application/problem+json":{"schema":{"$ref":"#/component\#
    s/schemas/Problem"}}}},"422":{"description":"A member is not what it has to be: `pointer` says which\#
    .","content":{"application/problem+json":{"schema":{"$ref":"#/components/schemas/Problem"}}}},"429":\#
    {"description":"That were too many attempts.","content":{"application/problem+json":{"schema":{"$ref\#
    ":"#/components/schemas/Problem"}}}},"431":{"description":"The headers are too long.","content":{"ap\#
    plication/problem+json":{"schema":{"$ref":"#/components/schemas/Problem"}}}},"503":{"description":"P\#
    lease come again: Retry-After says when.","content":{"application/problem+json":{"schema":{"$ref":"#\#
    /components/schemas/Problem"}}}}},"securitySchemes":{"token":{"type":"http","scheme":"bearer"},"sess\#
    ion":{"type":"apiKey","in":"cookie","name":"livery","description":"The cookie's name has the port be\#
    hind it, and `__Host-` before it where the fleet's URL is https. What changes something has to send \#
    X-Livery-CSRF as well."}}}}
    """#
}
